// Scrolls the box around an element (or the page, or its largest box) by about a screenful.
(element, direction) => {
  if (window.__webagent_page) window.__webagent_page.acted = window.__webagent_page.clock();
  const across = direction === "left" || direction === "right";
  const back = direction === "up" || direction === "left";
  const root = document.scrollingElement || document.documentElement;
  const room = (box) => across ? box.scrollWidth - box.clientWidth : box.scrollHeight - box.clientHeight;
  const scrolls = (box) => {
    if (room(box) < 2) return false;
    const style = getComputedStyle(box);
    const overflow = across ? style.overflowX : style.overflowY;
    if (box === root) return overflow !== "hidden" && !/hidden|clip/.test(across ? getComputedStyle(document.body || root).overflowX : getComputedStyle(document.body || root).overflowY);
    return /auto|scroll|overlay/.test(overflow);
  };
  const all = function* (from) {
    for (const one of from.querySelectorAll("*")) {
      yield one;
      if (one.shadowRoot) yield* all(one.shadowRoot);
    }
  };
  let box = null;
  for (let node = element; node && !box; node = node.assignedSlot || node.parentElement || node.getRootNode().host)
    if (scrolls(node)) box = node;
  if (!box && scrolls(root)) box = root;
  if (!box && !element) {
    let best = 0;
    for (const one of all(document)) {
      if (one === root || !scrolls(one)) continue;
      const r = one.getBoundingClientRect();
      const area = Math.max(0, Math.min(innerWidth, r.right) - Math.max(0, r.left)) * Math.max(0, Math.min(innerHeight, r.bottom) - Math.max(0, r.top));
      if (area > best) [best, box] = [area, one];
    }
  }
  if (!box) return { found: false, moved: 0, end: true, page: true };
  const view = across ? (box === root ? innerWidth : box.clientWidth) : (box === root ? innerHeight : box.clientHeight);
  const before = across ? box.scrollLeft : box.scrollTop;
  const by = Math.max(20, view * 0.85) * (back ? -1 : 1);
  box.scrollBy({ [across ? "left" : "top"]: by, behavior: "instant" });
  const after = across ? box.scrollLeft : box.scrollTop;
  const r = box === root ? { x: 0, y: 0, width: innerWidth, height: innerHeight } : box.getBoundingClientRect();
  return {
    found: true, moved: Math.round(after - before), page: box === root,
    end: back ? after <= 1 : Math.abs(after) >= room(box) - 2,
  };
}
