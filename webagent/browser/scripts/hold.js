// Notes that a field is about to hold a secret: from now on its value is hidden like a password's. Of
// boxes that take one character each all are.
(element) => {
  const page = window.__webagent_page;
  if (!page) return;
  const inner = element.localName === "label" && element.control ? element.control : element;
  page.secret.add(inner);
  if (inner.maxLength !== 1) return;
  for (let above = inner.parentElement; above; above = above.parentElement) {
    const boxes = [...above.querySelectorAll("input")].filter((one) => one.maxLength === 1);
    if (boxes.length < 2) continue;
    for (const box of boxes) page.secret.add(box);
    return;
  }
}
