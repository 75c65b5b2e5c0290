// The choices of a native list box.
(select) => {
  if (window.__webagent_page) window.__webagent_page.acted = window.__webagent_page.clock();
  return [...select.options].map((option, index) => ({
  index,
  label: option.label.replace(/\s+/g, " ").trim(),
  value: option.value,
  group: option.parentElement.localName === "optgroup" ? option.parentElement.label.replace(/\s+/g, " ").trim() : "",
  disabled: option.disabled || (option.parentElement.localName === "optgroup" && option.parentElement.disabled),
  selected: option.selected,
  }));
}
