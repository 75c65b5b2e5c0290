// What pressing an element (`key` false), or Enter in it, would set off, as far as the page says.
(element, key) => {
  const above = (node) => node.assignedSlot || node.parentElement || (node.getRootNode() || {}).host || null;
  const PRESSED = "button,a[href],area[href],input,select,textarea,summary,label,option,[contenteditable=''],[contenteditable=true],"
    + "[role=button],[role=link],[role=menuitem],[role=switch],[onclick]";
  const pressable = (node) => {
    for (let one = node; one; one = above(one)) if (one.matches(PRESSED)) return one;
    return null;
  };
  const within = (outer, inner) => {
    for (let one = inner; one; one = above(one)) if (one === outer) return true;
    return false;
  };
  const middle = () => {
    // What is no control is clicked in its middle, whatever lies there.
    if (element.scrollIntoViewIfNeeded) element.scrollIntoViewIfNeeded();
    const r = element.getBoundingClientRect();
    let hit = document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2);
    while (hit && hit.shadowRoot) {
      const deeper = hit.shadowRoot.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2);
      if (!deeper || deeper === hit) break;
      hit = deeper;
    }
    return hit && within(element, hit) ? hit : null;
  };
  const words = (node) => {
    const told = [node.getAttribute("aria-label"), node.getAttribute("title"), node.getAttribute("alt")];
    for (const id of (node.getAttribute("aria-labelledby") || "").split(/\s+/)) told.push(id && node.getRootNode().getElementById?.(id)?.textContent);
    if (node.localName === "input" && ["submit", "button", "reset", "image"].includes(node.type)) told.push(node.value || (node.type === "submit" ? "Submit" : ""));
    if (!["input", "select", "textarea"].includes(node.localName)) {
      told.push((node.innerText || node.textContent || "").slice(0, 300));
      for (const image of node.querySelectorAll("img[alt],svg title")) told.push(image.getAttribute("alt") || image.textContent);
    }
    const said = told.filter((one) => typeof one === "string" && one.trim());
    return said.length ? said : [node.getAttribute("name"), node.id].filter((one) => typeof one === "string" && one);
  };
  let pressed = pressable(element);
  if (!pressed && !key) pressed = pressable(middle() || element);
  if (pressed && pressed.localName === "label" && pressed.control) pressed = pressed.control;
  const node = pressed || element;
  const tag = node.localName, type = tag === "input" ? node.type : "";
  const button = (tag === "button" && !["button", "reset"].includes(node.type)) || ["submit", "image"].includes(type);
  const choosing = tag === "select" || ["checkbox", "radio", "file", "range", "color"].includes(type);
  const field = tag === "textarea" || tag === "select" || node.isContentEditable
    || (tag === "input" && !["submit", "image", "button", "reset", "checkbox", "radio", "file"].includes(type));
  const form = node.form || node.closest("form");
  const enters = key && tag === "input" && !["button", "reset", "file"].includes(type);
  const submit = button ? node : form ? [...form.elements].find((one) => ["submit", "image"].includes(one.type)) : null;
  const names = [...new Set([...(choosing ? [] : words(node)), ...(enters && submit ? words(submit) : [])])];
  const sends = !!form && (button || enters);
  const by = (name) => (submit && submit.getAttribute("form" + name)) || (form && form.getAttribute(name)) || "";
  const inputs = form ? [...form.elements] : [];
  const filled = (one) => (one.getAttribute("autocomplete") || "").toLowerCase();
  const hidden = inputs.find((one) => one.type === "hidden" && /^_?method$/i.test(one.name));
  let scripted = "";
  for (let one = node; one && !scripted; one = one === form ? null : above(one)) {
    scripted = (one.getAttribute("data-method") || "").toLowerCase();
    for (const verb of ["delete", "post", "put", "patch"]) if (one.hasAttribute("hx-" + verb) || one.hasAttribute("data-hx-" + verb)) scripted = verb;
  }
  const link = node.closest("a[href],area[href]");
  return {
    names, field, sends,
    pressed: !!pressed,
    method: form ? (by("method") || "get").toLowerCase() : "",
    said: !!by("method"),
    place: sends && by("action") ? new URL(by("action"), document.baseURI).href : "",
    searching: !!(form && (form.getAttribute("role") === "search" || form.closest("search,[role=search]") || inputs.some((one) => one.type === "search"))),
    passwords: inputs.filter((one) => one.type === "password").length,
    new_password: inputs.some((one) => filled(one).includes("new-password")),
    card: inputs.some((one) => /(^| )cc-(number|csc|exp)/.test(filled(one))),
    verb: (sends && hidden ? hidden.value : scripted).toLowerCase(),
    href: link ? link.href : "",
  };
}
