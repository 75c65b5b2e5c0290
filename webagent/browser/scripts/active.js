// Marks what has the focus, through shadow roots, so that it can be found from outside.
() => {
  let active = document.activeElement;
  while (active && active.shadowRoot && active.shadowRoot.activeElement) active = active.shadowRoot.activeElement;
  return active && active !== document.body ? active : null;
}
