// For a one-character box: all boxes of its code, and what they hold.
(element) => {
  if (element.localName !== "input" || element.maxLength !== 1) return null;
  for (let around = element.parentElement; around; around = around.parentElement) {
    const boxes = [...around.querySelectorAll("input")].filter((one) => one.maxLength === 1 && one.type !== "hidden");
    if (boxes.length > 1) return boxes.slice(boxes.indexOf(element)).map((one) => one.value);
  }
  return null;
}
