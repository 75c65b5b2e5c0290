// What lies over an element: where its visible middle is, what takes a click there, and whether that
// is the element's own (its label, its ancestor's layer) or see-through.
(element) => {
  const top = (x, y) => {
    let hit = document.elementFromPoint(x, y);
    while (hit && hit.shadowRoot) {
      const deeper = hit.shadowRoot.elementFromPoint(x, y);
      if (!deeper || deeper === hit) break;
      hit = deeper;
    }
    return hit;
  };
  const within = (outer, inner) => {
    for (let node = inner; node; node = node.assignedSlot || node.parentNode || node.host) if (node === outer) return true;
    return false;
  };
  const rect = element.getBoundingClientRect();
  const left = Math.max(0, rect.left), right = Math.min(innerWidth, rect.right);
  const upper = Math.max(0, rect.top), lower = Math.min(innerHeight, rect.bottom);
  const labels = element.labels ? [...element.labels] : [];
  if (right - left < 1 || lower - upper < 1) {
    const label = labels.find((one) => one.getBoundingClientRect().width > 0);
    return { state: label ? "label" : "outside" };
  }
  const middle = { x: (left + right) / 2, y: (upper + lower) / 2 };
  const offset = (x, y) => ({ x: x - rect.left, y: y - rect.top });
  const hit = top(middle.x, middle.y);
  if (!hit) return { state: "outside" };
  if (within(element, hit)) return { state: "free", position: offset(middle.x, middle.y) };
  if (labels.some((label) => within(label, hit))) return { state: "own", position: offset(middle.x, middle.y) };
  // Drawn by what lies beside it: the field itself can't be seen.
  if (parseFloat(getComputedStyle(element).opacity) < 0.05 && within(element.parentElement || element, hit))
    return { state: "own", position: offset(middle.x, middle.y) };
  for (const [fx, fy] of [[0.15, 0.5], [0.85, 0.5], [0.5, 0.15], [0.5, 0.85], [0.1, 0.1], [0.9, 0.9], [0.9, 0.1], [0.1, 0.9]]) {
    const x = left + (right - left) * fx, y = upper + (lower - upper) * fy;
    const other = top(x, y);
    if (other && within(element, other)) return { state: "beside", position: offset(x, y) };
  }
  const isFree = (one) => {
    const r = one.getBoundingClientRect();
    return r.width > 0 && within(one, top(r.left + r.width / 2, r.top + r.height / 2));
  };
  if (labels.some(isFree)) return { state: "label" };
  const clear = (color) => /^rgba\(.*, 0\)$|^transparent$/.test(color);
  const seeThrough = (node) => {
    const style = getComputedStyle(node);
    if (parseFloat(style.opacity) < 0.05) return true;
    if (["img", "video", "canvas", "svg", "iframe", "input", "button", "select", "textarea"].includes(node.localName)) return false;
    return clear(style.backgroundColor) && style.backgroundImage === "none" && !(node.innerText || "").trim()
      && !node.querySelector("img,video,canvas,svg,iframe,input,button,select,textarea");
  };
  if (seeThrough(hit)) return { state: "transparent", position: offset(middle.x, middle.y) };
  let shown = hit;
  for (let node = hit; node && node !== document.body && !within(node, element); node = node.parentElement || node.getRootNode().host) {
    shown = node;
    if (node.matches("dialog,[role=dialog],[role=alertdialog],[aria-modal=true],[aria-label]")) break;
  }
  return {
    state: "covered", position: offset(middle.x, middle.y), tag: shown.localName, role: shown.getAttribute("role") || "",
    words: (shown.getAttribute("aria-label") || shown.innerText || "").replace(/\s+/g, " ").trim().slice(0, 80),
  };
}
