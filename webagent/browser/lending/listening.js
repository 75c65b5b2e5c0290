// Part one of the script that lends (see lending.js): which elements scripts listen at.

const KEY = "__WEBAGENT_KEY__";
if (Object.prototype.hasOwnProperty.call(globalThis, KEY)) return;

const TYPES = new Set(["click", "dblclick", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart",
  "touchend", "contextmenu", "auxclick", "dragstart", "drop"]);
const HOVERS = new Set(["mouseenter", "mouseover", "pointerenter", "pointerover"]);
const HANDLERS = [...TYPES].map((type) => "on" + type);
const IGNORED = new Set(["HTML", "BODY", "HEAD", "SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "META", "LINK", "TITLE",
  "IFRAME", "FRAME", "FRAMESET", "BR", "OPTION", "OPTGROUP", "PARAM", "SOURCE", "DEFS"]);

// Page scripts may replace these later; the originals are kept.
const { apply, construct } = Reflect;
const toSource = Function.prototype.toString;
const { getAttribute, setAttribute, removeAttribute } = Element.prototype;
const later = setTimeout, never = clearTimeout;

/* A form's fields can hide its own properties (<input name=tagName>): no reason to stop. */
const attempt = (look, ...args) => {
  try {
    return look(...args);
  } catch {
    return undefined;
  }
};

const listening = new WeakMap(); // element -> Map("type/capture" -> Set of listeners)
const hovering = new WeakMap(); // the same for what the pointer's coming does
const delegators = new Set(); // documents, windows, shadow roots: they live as long as this does

const captureOf = (options) => (typeof options === "object" && options ? !!options.capture : !!options);

const remember = (target, type, listener, options) => {
  const known = TYPES.has(type) ? listening : HOVERS.has(type) ? hovering : null;
  if (!known || !listener) return;
  const key = type + "/" + captureOf(options);
  let kinds = known.get(target);
  if (!kinds) known.set(target, (kinds = new Map()));
  if (!kinds.has(key)) kinds.set(key, new Set());
  kinds.get(key).add(listener);
  if (known === hovering) return;
  if (target.nodeType !== 1 || target === document.body || target === document.documentElement)
    delegators.add(target);
};
const forget = (target, type, listener, options) => {
  const kinds = (HOVERS.has(type) ? hovering : listening).get(target);
  const key = type + "/" + captureOf(options);
  const known = kinds && kinds.get(key);
  if (!known) return;
  known.delete(listener);
  if (!known.size) kinds.delete(key);
};
const wrap = (name, note) => {
  const native = EventTarget.prototype[name];
  EventTarget.prototype[name] = new Proxy(native, {
    apply(fn, self, args) {
      const result = apply(fn, self, args);
      attempt(note, self || window, args[0] + "", args[1], args[2]);
      return result;
    },
  });
};
wrap("addEventListener", remember);
wrap("removeEventListener", forget);

const collect = (root, all, roots) => {
  roots.push(root);
  for (const element of root.querySelectorAll("*")) {
    all.push(element);
    if (element.shadowRoot) collect(element.shadowRoot, all, roots);
  }
};

const jqueryEvents = (target) => attempt(() => (window.jQuery || window.$)?._data?.(target, "events")) || null;

/* How a listener further up asks whether it is meant: by a selector, by class, id or tag of the target. */
const SELECTORS = /\.(?:closest|matches|is|delegate)\(\s*(['"`])([^'"`$]{1,200})\1/g;
const ASKS = [
  [/classList\.contains\(\s*['"`]([\w-]+)['"`]/g, "."],
  [/\.className\s*={2,3}\s*['"`]([\w-]+)['"`]/g, "."],
  [/\.id\s*={2,3}\s*['"`]([\w-]+)['"`]/g, "#"],
  [/\.(?:tagName|nodeName|localName)(?:\.to\w+\(\))?\s*={2,3}\s*['"`](\w+)['"`]/g, ""],
  [/\.(?:has|get)Attribute\(\s*['"`](data-[\w-]+)['"`]/g, "["],
  [/\.dataset\.(\w+)/g, "["],
];
const selectorsIn = function* (source) {
  for (const match of source.matchAll(SELECTORS)) yield match[2];
  for (const [pattern, sign] of ASKS)
    for (const [whole, name] of source.matchAll(pattern)) {
      const data = whole.startsWith(".dataset") ? "data-" + name.replace(/[A-Z]/g, (letter) => "-" + letter.toLowerCase()) : name;
      if (sign === "[") yield `[${data}]`;
      else if (sign || !IGNORED.has(name.toUpperCase())) yield sign + name;
    }
};

/* Elements that a listener further up handles: by jQuery's selector, or by the selector that the
   listener's own source asks with. */
const delegatedTargets = (all) => {
  const found = new Set();
  const targets = (root, selector) => root.querySelectorAll(selector.replace(/(^|,)\s*(?=[>+~])/g, "$1:scope "));
  const add = (root, selector) => { for (const element of attempt(targets, root, selector) || []) found.add(element); };
  const look = (target, root) => {
    for (const [type, entries] of Object.entries(jqueryEvents(target) || {}))
      if (TYPES.has(type)) for (const entry of entries) if (entry && entry.selector) add(root, entry.selector);
    for (const listeners of (listening.get(target) || new Map()).values())
      for (const listener of listeners)
        if (typeof listener === "function")
          for (const selector of selectorsIn(apply(toSource, listener, []).slice(0, 5000))) add(root, selector);
  };
  for (const target of delegators) look(target, target.querySelectorAll ? target : document);
  for (const element of all) if (listening.has(element)) look(element, element);
  return found;
};

const onlyDelegates = (element) => {
  const events = jqueryEvents(element);
  if (!events) return false;
  const own = Object.entries(events).filter(([type]) => TYPES.has(type)).flatMap(([, entries]) => [...entries]);
  return own.length > 0 && own.every((entry) => entry.selector);
};

const hasFrameworkHandler = (element) => {
  for (const key of Object.keys(element)) {
    if (key === "__click" || key === "$$click" || key === "__mousedown" || key === "$$mousedown") return true;
    if (key.startsWith("__reactProps$") || key.startsWith("__reactEventHandlers$")) {
      const props = element[key] || {};
      const type = (name) => name.slice(2).toLowerCase().replace("doubleclick", "dblclick");
      return Object.keys(props).some((name) => name.startsWith("on") && TYPES.has(type(name)) && typeof props[name] === "function");
    }
  }
  return false;
};
const isFrameworkRoot = (element) =>
  Object.keys(element).some((key) => key.startsWith("__reactContainer$") || key === "_reactRootContainer");

const hasListener = (element) => {
  const kinds = listening.get(element);
  return !!kinds && kinds.size > 0 && !isFrameworkRoot(element) && !onlyDelegates(element);
};
const isScripted = (element) =>
  hasListener(element) ||
  HANDLERS.some((name) => typeof element[name] === "function") ||
  (element.hasAttribute("tabindex") && element.tabIndex >= 0) ||
  hasFrameworkHandler(element);
