// Runs first in every document of a demonstration: tells what the person does there, as gestures. Events
// that scripts made are no gestures. `refs` are the refs that Playwright's newest snapshot gave to the
// elements at the event; refs.js answers with them, from the world in which Playwright keeps them.
(() => {
  const page = window.__webagent_page;
  const report = window.__webagent_report;
  delete window.__webagent_report; // no page may report gestures of its own
  if (!page || !report || page.recent) return;
  const later = page.later;
  const CONTROLS = "a[href],area[href],button,input:not([type=hidden]),select,textarea,summary,option,label,[onclick]," +
    "[contenteditable],[tabindex],[role=button],[role=link],[role=checkbox],[role=radio],[role=switch],[role=tab]," +
    "[role=option],[role=menuitem],[role=menuitemcheckbox],[role=menuitemradio],[role=treeitem],[role=combobox]," +
    "[role=textbox],[role=searchbox],[role=slider],[role=spinbutton],[role=gridcell]";
  const ACTIVATED = "a[href],area[href],button,summary,input[type=button],input[type=submit],input[type=reset]," +
    "input[type=image],input[type=checkbox],input[type=radio],input[type=file],input[type=color]";
  const NO_TEXT = /^(button|submit|reset|image|checkbox|radio|file|range|color)$/;
  const ROLES = { a: "link", button: "button", select: "combobox", textarea: "textbox", summary: "generic", option: "option" };
  const INPUTS = { checkbox: "checkbox", radio: "radio", button: "button", submit: "button", reset: "button", image: "button",
    file: "button", range: "slider", number: "spinbutton", search: "searchbox" };

  // --- where a gesture happened ------------------------------------------------------------------

  let asked = [], told = "[]";
  window.addEventListener("__webagent_ask", (event) => { asked = event.composedPath(); }, true);
  window.addEventListener("__webagent_tell", (event) => { told = event.detail; }, true);
  /* The path from an element up to the window, and the refs on it: [place on the path, ref]. */
  const look = (element) => {
    asked = [];
    told = "[]";
    element.dispatchEvent(new CustomEvent("__webagent_ask", { bubbles: true, composed: true }));
    return { path: asked, refs: JSON.parse(told) };
  };
  const isElement = (node) => node.nodeType === 1;
  /* Place on the path of the control that is meant; -1 where none is. */
  const meantAt = (path) => {
    const at = path.findIndex((node) => isElement(node) && node.matches(CONTROLS));
    if (at >= 0) return at;
    let pointer = -1;
    for (let i = 0; i < path.length && isElement(path[i]) && getComputedStyle(path[i]).cursor === "pointer"; i++) pointer = i;
    return pointer;
  };
  const words = (text) => (text || "").replace(/\s+/g, " ").trim().slice(0, 120);
  const nameOf = (element) => {
    const labelled = (element.getAttribute("aria-labelledby") || "").split(" ")
      .map((id) => id && element.getRootNode().getElementById?.(id)?.textContent).filter(Boolean).join(" ");
    const label = element.labels && element.labels[0] && element.labels[0].textContent;
    const own = element.matches("input,select,textarea") ? (NO_TEXT.test(element.type) ? element.value : "") : element.innerText;
    return words(labelled || element.getAttribute("aria-label") || label || element.alt || own || element.placeholder || element.title);
  };
  const roleOf = (element) => element.getAttribute("role") || (element.isContentEditable ? "textbox" : "")
    || (element.localName === "input" ? INPUTS[element.type] || "textbox" : ROLES[element.localName] || "generic");

  const ids = new WeakMap();
  let count = 0;
  const idOf = (element) => {
    if (!ids.has(element)) ids.set(element, page.id + ++count);
    return ids.get(element);
  };
  page.recent = new Map();
  const remember = (element) => {
    page.recent.set(++count, element);
    if (page.recent.size > 30) page.recent.delete(page.recent.keys().next().value);
    return count;
  };
  /* The refs at an element remembered, as the snapshot just taken has them. */
  page.refsOf = (n) => {
    const element = page.recent.get(n);
    return element && element.isConnected ? placed(look(element)).refs : [];
  };
  const placed = ({ path, refs }) => {
    const at = meantAt(path);
    return { at, meant: path[at], refs: refs.map(([place, ref]) => [ref, at < 0 || place <= at]) };
  };
  const describe = (element) => {
    const { at, meant, refs } = placed(look(element));
    const what = meant || element;
    return { refs, n: remember(element), meant: at >= 0, role: roleOf(what), name: nameOf(what), id: idOf(what) };
  };
  const tell = (kind, more) => report(JSON.stringify({ kind, document: page.id, ...more }));

  // --- mouse -------------------------------------------------------------------------------------

  const isText = (element) => element.isContentEditable || element.localName === "textarea"
    || (element.localName === "input" && !NO_TEXT.test(element.type));
  const controlOf = (element) => element.closest?.("a[href],button,input,select,textarea,label,option") || element;
  let down = null; // the button that is held: {target, what, x, y, done}
  let expected = null; // the control that a label's click will click
  let key = null; // the newest key: {name, target}
  let second = null; // what was clicked for the second time in a row

  const clicked = (target, more) => {
    const control = controlOf(target);
    if (control.localName === "option" || control.localName === "select" || control.type === "range") return;
    let element = target;
    if (control.localName === "label" && control.control) {
      if (!target.closest("a[href],button")) expected = control.control;
      later(() => { expected = null; }, 0);
      if (control.control.getClientRects().length) element = control.control;
    }
    const what = down && down.target === target && element === target ? down.what : describe(element);
    if (down) down.done = true;
    const focuses = isText(controlOf(element)) && !controlOf(element).readOnly;
    tell("click", { ...what, ...more, focuses, chooses: controlOf(element).type === "file" });
  };
  const on = {
    mousedown(event, target) {
      key = null;
      rests++;
      down = event.button === 0 ? { target, what: describe(target), x: event.clientX, y: event.clientY, done: false } : null;
    },
    mouseup(event, target) {
      const held = down;
      if (event.button !== 0 || !held) return;
      const far = Math.hypot(event.clientX - held.x, event.clientY - held.y) > 8;
      const selects = !window.getSelection().isCollapsed || isText(held.target) || controlOf(held.target).type === "range";
      if (far && !selects && !held.dragged) {
        held.done = true;
        dropped(held, event, target);
      } else if (!far) {
        // What a page removes on mousedown gets no click.
        later(() => { if (!held.done && !held.target.isConnected) tell("click", { ...held.what }); }, 0);
      }
    },
    click(event, target) {
      if (expected && (target === expected || expected.contains(target))) { expected = null; return; }
      const synthetic = event.detail === 0;
      if (synthetic && key && key.name === "Enter" && controlOf(key.target) !== controlOf(target)) return; // submits its form
      if (!synthetic && down && down.done) return;
      if (event.detail % 2 === 0 && !synthetic) {
        second = target; // of a double click, as a rule
        later(() => { if (second === target) { second = null; clicked(target, {}); } }, 0);
      } else clicked(target, {});
    },
    dblclick(event, target) {
      second = null;
      tell("double", describe(target));
    },
    auxclick(event, target) { if (event.button === 1) clicked(target, { button: "middle" }); },
    contextmenu(event, target) { if (event.button === 2) clicked(target, { button: "right" }); },
    dragstart(event, target) { if (down) down.dragged = true; source = describe(target); },
    drop(event, target) { if (source) tell("drag", { ...source, ...dropAt(target, event) }); source = null; },
    dragend() { source = null; },
    mouseover(event, target) {
      rests++;
      const now = rests;
      later(() => { if (now === rests && target.isConnected && !event.buttons) tell("hover", describe(target)); }, 150);
    },
    wheel(event, target) {
      rolled.x += event.deltaX;
      rolled.y += event.deltaY;
      const now = ++rolled.turn;
      later(() => { if (now === rolled.turn) scrolled(target); }, 200);
    },
  };
  let source = null, rests = 0;
  const dropAt = (target, event) => {
    const box = target.getBoundingClientRect();
    return { to: describe(target).refs, dx: Math.round(event.clientX - box.x), dy: Math.round(event.clientY - box.y) };
  };
  const dropped = (held, event, target) => {
    const below = event.target.getRootNode().elementsFromPoint(event.clientX, event.clientY);
    const under = below.find((element) => !held.target.contains(element) && !element.contains(held.target)) || target;
    const to = held.target.contains(under) || under === held.target ? under.parentElement || under : under;
    tell("drag", { ...held.what, ...dropAt(to, event), free: true });
  };
  const rolled = { x: 0, y: 0, turn: 0 };
  const scrolled = (target) => {
    const across = Math.abs(rolled.x) > Math.abs(rolled.y);
    const far = across ? rolled.x : rolled.y;
    const size = across ? window.innerWidth : window.innerHeight;
    rolled.x = rolled.y = 0;
    const direction = across ? (far > 0 ? "right" : "left") : far > 0 ? "down" : "up";
    tell("scroll", { ...describe(target), direction, times: Math.min(10, Math.ceil(Math.abs(far) / size)) });
  };

  // --- keyboard and fields -----------------------------------------------------------------------

  const before = new WeakMap(); // field -> what it held before it was typed into
  const hostOf = (element) => {
    while (element.isContentEditable && element.parentElement && element.parentElement.isContentEditable) element = element.parentElement;
    return element;
  };
  const valueOf = (field) => (field.isContentEditable ? field.innerText.replace(/\n$/, "") : field.value);
  const keyName = (event) => {
    const name = event.key === " " ? "Space" : event.key;
    const chord = ["Control", "Alt", "Meta"].filter((one) => event[{ Control: "ctrlKey", Alt: "altKey", Meta: "metaKey" }[one]]);
    if (event.shiftKey && name.length > 1) chord.push("Shift");
    return [...chord, name].join("+");
  };
  Object.assign(on, {
    beforeinput(event, target) {
      const field = hostOf(target);
      if (!before.has(field)) before.set(field, valueOf(field));
    },
    input(event, target) {
      const field = hostOf(target);
      if (field.localName === "select" || /^(checkbox|radio|file)$/.test(field.type)) return;
      const secret = field.type === "password" || page.secret.has(field);
      tell("input", { ...describe(field), value: valueOf(field), secret, label: field.name || field.id || "",
        before: before.has(field) ? before.get(field) : null, several: field.localName === "textarea" || field.isContentEditable });
    },
    change(event, target) {
      if (target.localName === "select") {
        const label = (option) => words(option.label);
        const full = (option) => (option.parentElement.localName === "optgroup"
          ? words(option.parentElement.label) + ": " + label(option) : label(option));
        tell("select", { ...describe(target), options: [...target.selectedOptions].map(full) });
      } else if (target.type === "file") {
        tell("upload", { ...describe(target), paths: [...target.files].map((file) => file.name) });
      }
    },
    focusout(event, target) { before.delete(hostOf(target)); },
    keydown(event, target) {
      if (event.isComposing || event.keyCode === 229 || /^(Shift|Control|Alt|Meta|CapsLock|Dead|AltGraph)$/.test(event.key)) return;
      key = { name: event.key, target };
      const held = event.ctrlKey || event.altKey || event.metaKey;
      const text = isText(target);
      const several = target.localName === "textarea" || target.isContentEditable;
      const press = (kind) => tell("key", { ...describe(target), key: keyName(event), kept: kind });
      if (held) {
        const what = { ...describe(target), key: keyName(event), kept: "shortcut" };
        if (event.key === "Enter") tell("key", what);
        else later(() => { if (event.defaultPrevented) tell("key", what); }, 0);
      } else if (event.key === "Enter") {
        if (several) later(() => { if (event.defaultPrevented) press("enter"); }, 0);
        else if (!target.matches(ACTIVATED) && target.localName !== "select") press("enter");
      } else if (/^Arrow(Up|Down)$/.test(event.key) || (/^Arrow/.test(event.key) && !text)) {
        const native = target.localName === "select" || /^(radio|range|number|date|time|month|week|datetime-local)$/.test(target.type);
        if (!native && !several) press(text ? "arrow" : "change");
      } else if (event.key === "Escape") press("change");
      else if (event.key === "Tab") press("tab");
      else if (!text && target.localName !== "select" && !(event.key === " " && target.matches(ACTIVATED))) press("change");
    },
  });

  const note = (event) => {
    const target = event.composedPath()[0];
    if (event.isTrusted && target && target.nodeType === 1) on[event.type](event, target);
  };
  for (const type of Object.keys(on)) window.addEventListener(type, (event) => note(event), { capture: true, passive: true });

  // --- selected text, tabs, history --------------------------------------------------------------

  let selecting = 0;
  document.addEventListener("selectionchange", () => {
    const now = ++selecting;
    later(() => { if (now === selecting) tell("selection", { text: words(window.getSelection().toString()) }); }, 100);
  });
  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible" && window === top) tell("front", {}); });
  const close = window.close;
  window.close = function () {
    tell("closing", {});
    return close.call(window);
  };
  for (const name of ["back", "forward", "go"]) {
    const move = History.prototype[name];
    History.prototype[name] = function (...args) {
      tell("history", {});
      return move.apply(this, args);
    };
  }
})();
