/* Makes the controls that only scripts know visible to Playwright's AI snapshot.

   The snapshot drops or merges elements that have no role: icons drawn by CSS, <span onclick> in
   running text, list cells, slider handles. This init script remembers who listens for clicks and
   lends such elements a role, and nameless ones a name, for the moment of a snapshot. Nothing of it
   stays: between snapshots the page's DOM is as the page made it.

   Contract for the session
   1. Replace __WEBAGENT_KEY__ in this text by a random identifier, once per browser context, and
      `context.add_init_script` it before any page opens (it runs in every frame).
   2. Around each `page.aria_snapshot(mode="ai")`, in every frame of the page (`page.frames`, at once,
      each with a timeout of its own; a frame that fails is no reason to stop):
          frame.evaluate("globalThis['KEY']?.mark()")      -> number of elements marked
          … snapshot …
          frame.evaluate("globalThis['KEY']?.unmark()")    in a finally
      Act on refs after unmark: refs point to elements, not to what was lent to them. An element keeps
      its role, name and so its ref over later snapshots, since what it was lent is remembered.
      Marks that are not taken back (the session died) end by themselves after 5 s.
   3. Snapshots taken without mark() give marked elements other refs: always mark.

   What is lent, to elements that are scripted (a listener, on… handler, tabindex, jQuery, React,
   Svelte or Solid handler, target of a delegating listener, root of a `cursor: pointer` area):
   * no role of its own and small: role=button; no role and holding other controls or much text:
     role=group, plus the pointer cursor where it holds no other scripted element;
   * a role of its own (cells, list items, images): the pointer cursor, so that the snapshot says
     [cursor=pointer];
   * nameless: aria-label from its class, its icon's class, id, name, data-…, picture's file name, or
     colour and shape; nameless native controls too. Editable text without a role: a label and the cursor.
   MutationObservers made after this script don't see any of it; attributeChangedCallbacks of custom
   elements that observe these attributes are spared by not marking those elements. */
(() => {
  "use strict";
  const KEY = "__WEBAGENT_KEY__";
  if (Object.prototype.hasOwnProperty.call(globalThis, KEY)) return;

  const TYPES = new Set(["click", "dblclick", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart",
    "touchend", "contextmenu", "auxclick", "dragstart", "drop"]);
  const HANDLERS = [...TYPES].map((type) => "on" + type);
  const IGNORED = new Set(["HTML", "BODY", "HEAD", "SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "META", "LINK", "TITLE",
    "IFRAME", "FRAME", "FRAMESET", "BR", "OPTION", "OPTGROUP", "PARAM", "SOURCE", "DEFS"]);
  const WITH_ROLE = new Set(["ARTICLE", "ASIDE", "BLOCKQUOTE", "BUTTON", "CAPTION", "CODE", "DD", "DEL", "DETAILS", "DFN",
    "DIALOG", "DT", "EM", "FIELDSET", "FIGURE", "H1", "H2", "H3", "H4", "H5", "H6", "HR", "INPUT", "INS", "LI", "MAIN",
    "MARK", "MATH", "MENU", "METER", "NAV", "OL", "OUTPUT", "P", "PROGRESS", "SEARCH", "SELECT", "STRONG", "SUB", "SUP",
    "SVG", "TABLE", "TBODY", "TD", "TEXTAREA", "TFOOT", "TH", "THEAD", "TIME", "TR", "UL"]);
  const NATIVE = "a[href],area[href],button,input:not([type=hidden]),select,textarea,summary";
  const FIELDS = new Set(["INPUT", "SELECT", "TEXTAREA"]);
  const SHAPES = new Set(["RECT", "CIRCLE", "ELLIPSE", "LINE", "POLYLINE", "POLYGON", "PATH", "G", "TEXT", "USE", "IMAGE"]);
  const CURSOR = "data-" + KEY.toLowerCase().replace(/[^a-z0-9]/g, "");
  const OURS = new Set(["role", "aria-label", CURSOR]);
  const SMALL_TEXT = 120;
  const KEEP_MS = 5000;

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

  // --- who listens -------------------------------------------------------------------------------

  const listening = new WeakMap(); // element -> Map("type/capture" -> Set of listeners)
  const delegators = new Set(); // documents, windows, shadow roots: they live as long as this does

  const captureOf = (options) => (typeof options === "object" && options ? !!options.capture : !!options);

  const remember = (target, type, listener, options) => {
    if (!TYPES.has(type) || !listener) return;
    const key = type + "/" + captureOf(options);
    let kinds = listening.get(target);
    if (!kinds) listening.set(target, (kinds = new Map()));
    if (!kinds.has(key)) kinds.set(key, new Set());
    kinds.get(key).add(listener);
    if (target.nodeType !== 1 || target === document.body || target === document.documentElement)
      delegators.add(target);
  };
  const forget = (target, type, listener, options) => {
    const kinds = listening.get(target);
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

  // --- our own changes are no news to the page ---------------------------------------------------

  let busy = null; // the elements being changed right now
  const isOurs = (record) => record.type === "attributes" && OURS.has(record.attributeName) && busy.has(record.target);
  window.MutationObserver = new Proxy(window.MutationObserver, {
    construct(native, args, newTarget) {
      const [callback] = args;
      if (typeof callback !== "function") return construct(native, args, newTarget);
      const filtered = function (records, observer) {
        const rest = busy ? records.filter((record) => !isOurs(record)) : records;
        if (rest.length) return apply(callback, this, [rest, observer]);
      };
      return construct(native, [filtered], newTarget);
    },
  });
  const quietly = (elements, change) => {
    busy = elements;
    try {
      change();
    } finally {
      // Observers were queued by the first change, so they run before this.
      queueMicrotask(() => { busy = null; });
    }
  };

  // --- which elements are controls ---------------------------------------------------------------

  const collect = (root, all, roots) => {
    roots.push(root);
    for (const element of root.querySelectorAll("*")) {
      all.push(element);
      if (element.shadowRoot) collect(element.shadowRoot, all, roots);
    }
  };

  const jqueryEvents = (target) => attempt(() => (window.jQuery || window.$)?._data?.(target, "events")) || null;

  const SELECTORS = /\.(?:closest|matches|is|delegate)\(\s*(['"`])([^'"`$]{1,200})\1/g;

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
            for (const match of apply(toSource, listener, []).slice(0, 5000).matchAll(SELECTORS)) add(root, match[2]);
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

  // --- what they are called ----------------------------------------------------------------------

  const DULL = new Set(("icon icons ico fa fas far fal fab fad glyphicon material symbols outlined rounded sharp mdi bi btn " +
    "button buttons link ui el css js jsx svg img image wrapper wrap container inner outer item items cell box div span " +
    "block row col column flex grid active selected hover focus focused disabled enabled open opened closed hidden show " +
    "shown visible state default primary secondary small large medium big left right top bottom center clickable click " +
    "control controls component root helper reset clearfix draggable droppable sortable widget content corner all front " +
    "first last odd even new the and for with mini id").split(" "));
  const wordsOf = (text) => {
    const words = [];
    for (const part of (text || "").slice(0, 300).split(/[\s_\-./:#|]+/)) {
      if (/\d{3,}|\d[a-z]+\d/i.test(part)) continue; // generated
      for (const word of part.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/\d+/g, " $& ").toLowerCase().split(/\s+/))
        if ((word.length > 2 || /^\d+$/.test(word)) && !DULL.has(word) && (/[aeiouy\d]/.test(word) || /[^\x00-\x7f]/.test(word)))
          words.push(word);
    }
    const unique = [...new Set(words)];
    return unique.every((word) => /^\d+$/.test(word)) ? "" : unique.slice(0, 3).join(" ");
  };
  const attribute = (element, name) => apply(getAttribute, element, [name]) || "";
  const fileOf = (url) => (url.startsWith("data:") ? "" : url.split(/[?#]/)[0].split("/").pop().replace(/\.\w+$/, ""));
  const COLOURS = { black: [0, 0, 0], grey: [128, 128, 128], white: [255, 255, 255], red: [255, 0, 0], orange: [255, 165, 0],
    yellow: [255, 255, 0], green: [0, 128, 0], lime: [0, 255, 0], cyan: [0, 255, 255], blue: [0, 0, 255],
    purple: [128, 0, 128], magenta: [255, 0, 255], pink: [255, 192, 203], brown: [139, 69, 19] };
  /* The colour that an element was given itself, as a word. */
  const colourOf = (element) => {
    const colour = attribute(element, "fill") || element.style?.fill || element.style?.backgroundColor || "";
    if (/^(none|transparent|inherit|initial|unset|currentcolor)?$/i.test(colour)) return "";
    if (/^[a-z]{3,}$/i.test(colour)) return colour.toLowerCase();
    const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(colour);
    const rgb = hex
      ? hex[1].replace(/^(.)(.)(.)$/, "$1$1$2$2$3$3").match(/../g).map((pair) => parseInt(pair, 16))
      : (/^rgb\((.*)\)$/.exec(colour)?.[1] || "").split(",").map(Number);
    if (rgb.length !== 3) return "";
    const away = (name) => COLOURS[name].reduce((sum, part, at) => sum + (part - rgb[at]) ** 2, 0);
    return Object.keys(COLOURS).reduce((best, name) => (away(name) < away(best) ? name : best));
  };
  const dataOf = (element) =>
    ["data-icon", "data-action", "data-name", "data-label", "data-tooltip", "data-title", "data-value", "data-testid",
      "data-test", "data-id"].map((name) => wordsOf(attribute(element, name))).find(Boolean) || "";

  const makeName = (element) => {
    const tag = element.tagName.toUpperCase();
    if (SHAPES.has(tag) && element.ownerSVGElement) {
      return wordsOf(attribute(element, "class")) || wordsOf(element.id) || tag.toLowerCase();
    }
    const inside = element.firstElementChild;
    const icon = element.querySelector("i,svg,img,use,[class*=icon]") || inside;
    const use = icon && (icon.localName === "use" ? icon : icon.querySelector("use"));
    const names = FIELDS.has(tag)
      ? [wordsOf(attribute(element, "name")), wordsOf(element.id), dataOf(element), wordsOf(attribute(element, "class"))]
      : [
          wordsOf(attribute(element, "class")),
          icon && (attribute(icon, "title") || wordsOf(attribute(icon, "class"))),
          use && wordsOf(attribute(use, "href") || attribute(use, "xlink:href")),
          dataOf(element),
          wordsOf(element.id),
          wordsOf(attribute(element, "name")),
          wordsOf(fileOf(attribute(element, "src") || (icon && attribute(icon, "src")) || "")),
          tag === "A" && wordsOf(fileOf(attribute(element, "href"))),
        ];
    const last = { IMG: "image", SVG: "drawing", CANVAS: "canvas" }[tag] || "";
    return names.find(Boolean) || last;
  };

  const NAMED = "[aria-label],[alt],[title],svg title,input,select,textarea,iframe";
  const isNameless = (element, tag) => {
    for (const name of ["aria-label", "aria-labelledby", "title", "placeholder"])
      if (attribute(element, name).trim()) return false;
    if (element.labels && element.labels.length) return false;
    if (tag === "IMG") return !attribute(element, "alt").trim();
    if (tag === "INPUT") {
      const type = element.type;
      if (type === "submit" || type === "reset") return false;
      if (type === "button") return !element.value.trim();
      return !(type === "image" && attribute(element, "alt").trim());
    }
    if (FIELDS.has(tag)) return true;
    if (element.querySelector(NAMED)) return false;
    return !element.textContent.replace(/[\s\u200b\ue000-\uf8ff]/g, "");
  };

  // --- lending and taking back -------------------------------------------------------------------

  const lent = new WeakMap(); // element -> {role?, label?}: what it is called stays the same
  let marks = []; // [element, attribute, our value, its own value or null]
  let timer = 0;
  let sheet = null;
  let adopted = [];

  const hasOwnRole = (element, tag) => {
    const role = attribute(element, "role").trim();
    if (role) return !/^(none|presentation|generic)\b/.test(role);
    if (tag === "A" || tag === "AREA") return element.hasAttribute("href");
    if (tag === "IMG") return attribute(element, "alt") !== "" || !element.hasAttribute("alt");
    return WITH_ROLE.has(tag);
  };
  const isSpared = (element) => {
    if (!element.localName.includes("-")) return false;
    const observed = customElements.get(element.localName)?.observedAttributes;
    return !!observed && [...observed].some((name) => OURS.has(name));
  };

  const hold = (element, holders) => {
    for (let up = element.parentNode || element.host; up && !holders.has(up); up = up.parentNode || up.host) holders.add(up);
  };

  /* [element, attributes to lend] for every control; only reads. */
  const plan = (all) => {
    const delegated = delegatedTargets(all);
    const pointers = new Set(), scripted = new Set(), native = new Set(), hovered = new Set();
    const sort = (element) => {
      if (IGNORED.has(element.tagName.toUpperCase()) || isSpared(element)) return;
      if (element.matches(NATIVE)) native.add(element);
      else if (delegated.has(element) || isScripted(element) || isEditable(element) || isLoneLabel(element)) scripted.add(element);
      if (getComputedStyle(element).cursor !== "pointer") return;
      pointers.add(element);
      if (!pointers.has(element.parentElement) && !native.has(element) && element.localName !== "label") hovered.add(element);
    };
    all.forEach((element) => attempt(sort, element));
    const holders = new Set(), scriptedHolders = new Set();
    for (const element of native) hold(element, holders);
    for (const element of scripted) { hold(element, holders); hold(element, scriptedHolders); }
    const wanted = [];
    const hasArea = (element) => {
      const box = element.getBoundingClientRect();
      return box.width > 0 && box.height > 0;
    };
    // Without an area there is no ref to be had, whatever the role.
    const want = (element, given) => { if (given && attempt(hasArea, element)) wanted.push([element, given]); };
    for (const element of native) want(element, attempt(lendName, element));
    for (const element of scripted)
      want(element, attempt(lend, element, holders.has(element), scriptedHolders.has(element), pointers.has(element)));
    for (const element of hovered)
      if (!scripted.has(element) && !holders.has(element)) want(element, attempt(lend, element, false, false, true));
    return wanted;
  };

  /* A label whose own field is not there to be clicked. */
  const isLoneLabel = (element) => element.localName === "label" && !!element.control && !element.control.getClientRects().length;

  const isEditable = (element) =>
    element.isContentEditable && element.hasAttribute("contenteditable") && !element.parentElement?.isContentEditable;

  const lendName = (element) => {
    const tag = element.tagName.toUpperCase();
    if (!isNameless(element, tag)) return {};
    const known = lent.get(element) || {};
    if (known.label === undefined) lent.set(element, { ...known, label: (known.label = makeName(element)) });
    const label = [FIELDS.has(tag) ? "" : colourOf(element), known.label].join(" ").trim(); // colours may tell a state
    return label ? { "aria-label": label } : {};
  };

  const lend = (element, holds, holdsScripted, points) => {
    const tag = element.tagName.toUpperCase();
    const given = holdsScripted ? {} : lendName(element);
    if (isEditable(element) && !attribute(element, "role")) {
      if (!given["aria-label"] && !attribute(element, "aria-label")) given["aria-label"] = wordsOf(element.id) || "editable text";
      if (!points) given[CURSOR] = "";
      return given;
    }
    if (hasOwnRole(element, tag)) {
      if (!points && !holdsScripted) given[CURSOR] = "";
      return given;
    }
    const known = lent.get(element) || {};
    if (!known.role) {
      known.role = holds || element.textContent.trim().length > SMALL_TEXT ? "group" : "button";
      lent.set(element, known);
    }
    given.role = known.role;
    if (known.role === "group" && !points && !holdsScripted) given[CURSOR] = "";
    return given;
  };

  const adopt = (roots) => {
    if (!sheet) {
      sheet = new CSSStyleSheet();
      sheet.insertRule("[" + CURSOR + "]{cursor:pointer!important}");
    }
    for (const root of roots) attempt(() => { root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]; });
    adopted = roots;
  };

  const mark = () => {
    unmark();
    if (!document.documentElement) return 0;
    const all = [], roots = [];
    collect(document, all, roots);
    const wanted = plan(all);
    const changes = [];
    for (const [element, given] of wanted)
      for (const name in given) changes.push([element, name, given[name], apply(getAttribute, element, [name])]);
    if (changes.some(([, name]) => name === CURSOR)) adopt(roots);
    quietly(new Set(changes.map(([element]) => element)), () => {
      for (const [element, name, value] of changes) apply(setAttribute, element, [name, value]);
    });
    marks = changes;
    timer = apply(later, window, [unmark, KEEP_MS]);
    return new Set(changes.map(([element]) => element)).size;
  };

  const unmark = () => {
    if (!marks.length) return;
    apply(never, window, [timer]);
    const done = marks;
    marks = [];
    quietly(new Set(done.map(([element]) => element)), () => {
      for (const [element, name, ours, own] of done) {
        if (apply(getAttribute, element, [name]) !== ours) continue; // the page changed it meanwhile
        if (own === null) apply(removeAttribute, element, [name]);
        else apply(setAttribute, element, [name, own]);
      }
    });
    for (const root of adopted)
      attempt(() => { root.adoptedStyleSheets = [...root.adoptedStyleSheets].filter((other) => other !== sheet); });
    adopted = [];
  };

  Object.defineProperty(globalThis, KEY, { value: Object.freeze({ mark, unmark }), enumerable: false });
})();
