// What a field holds now.
(element) => {
  const inner = element.localName === "label" && element.control ? element.control : element;
  return "value" in inner && inner.localName !== "li" && inner.localName !== "button" ? String(inner.value)
    : inner.isContentEditable ? inner.innerText : "";
}
