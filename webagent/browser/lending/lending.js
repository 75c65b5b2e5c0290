/* Makes the controls that only scripts know visible to Playwright's AI snapshot.

   The snapshot drops or merges elements that have no role: icons drawn by CSS, <span onclick> in
   running text, list cells, slider handles. This init script remembers who listens for clicks and
   lends such elements a role, and nameless ones a name, for the moment of a snapshot. Nothing of it
   stays: between snapshots the page's DOM is as the page made it.

   Contract for the session
   1. The parts (listening, hovering, naming, lending) are joined into one function. Replace
      __WEBAGENT_KEY__ in it by a random identifier and `context.add_init_script` it before any page
      opens (it runs in every frame).
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
     colour and shape; nameless native controls too;
   * editable text without a role: role=textbox and a name;
   * a label whose field can't be pointed at (hidden, without area): that field's role, its state too;
   * what shows other elements when the pointer comes, and has no role: role=group.
   MutationObservers made after this script don't see any of it; attributeChangedCallbacks of custom
   elements that observe these attributes are spared by not marking those elements. */

const WITH_ROLE = new Set(["ARTICLE", "ASIDE", "BLOCKQUOTE", "BUTTON", "CAPTION", "CODE", "DD", "DEL", "DETAILS", "DFN",
  "DIALOG", "DT", "EM", "FIELDSET", "FIGURE", "H1", "H2", "H3", "H4", "H5", "H6", "HR", "INPUT", "INS", "LI", "MAIN",
  "MARK", "MATH", "MENU", "METER", "NAV", "OL", "OUTPUT", "P", "PROGRESS", "SEARCH", "SELECT", "STRONG", "SUB", "SUP",
  "SVG", "TABLE", "TBODY", "TD", "TEXTAREA", "TFOOT", "TH", "THEAD", "TIME", "TR", "UL"]);
const NATIVE = "a[href],area[href],button,input:not([type=hidden]),select,textarea,summary";
const CURSOR = "data-" + KEY.toLowerCase().replace(/[^a-z0-9]/g, "");
const OURS = new Set(["role", "aria-label", "aria-checked", "aria-disabled", CURSOR]);
const SMALL_TEXT = 120;
const KEEP_MS = 5000;

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
const plan = (all, roots) => {
  const delegated = delegatedTargets(all);
  labelled = new Set(all.map((element) => (element.localName === "label" ? element.control : null)));
  const pointers = new Set(), scripted = new Set(), native = new Set(), hovered = new Set();
  const sort = (element) => {
    if ((IGNORED.has(element.tagName.toUpperCase()) && !isEditable(element)) || isSpared(element)) return;
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
  const want = (element, given) => { if (given && Object.keys(given).length && attempt(hasArea, element)) wanted.push([element, given]); };
  for (const element of native) want(element, attempt(lendName, element));
  for (const element of scripted)
    want(element, attempt(lend, element, holders.has(element), scriptedHolders.has(element), pointers.has(element)));
  for (const element of hovered)
    if (!scripted.has(element) && !holders.has(element)) want(element, attempt(lend, element, false, false, true));
  for (const element of attempt(hoverTargets, all, roots) || [])
    if (!scripted.has(element) && !hovered.has(element) && !native.has(element)) want(element, attempt(lendHover, element));
  return wanted;
};

/* A label whose own field is not there to be pointed at. */
const isLoneLabel = (element) => element.localName === "label" && !!element.control && !isReachable(element.control);
const isReachable = (field) => {
  const box = field.getBoundingClientRect(), style = getComputedStyle(field);
  return box.width > 0 && box.height > 0 && style.visibility === "visible" && style.pointerEvents !== "none";
};

const isEditable = (element) =>
  element === document.body
    ? element.isContentEditable
    : element.hasAttribute("contenteditable") && element.isContentEditable && !element.parentElement?.isContentEditable;

const lendName = (element) => {
  const tag = element.tagName.toUpperCase();
  if (!isNameless(element, tag)) return {};
  const known = lent.get(element) || {};
  if (known.label === undefined) lent.set(element, { ...known, label: (known.label = makeName(element)) });
  const label = [FIELDS.has(tag) ? "" : colourOf(element), known.label].join(" ").trim(); // colours may tell a state
  return label ? { "aria-label": label } : {};
};

const lendEditable = (element) => {
  const given = { role: "textbox" };
  if (["aria-label", "aria-labelledby", "title"].some((name) => attribute(element, name))) return given;
  const known = lent.get(element) || {};
  if (!known.label) lent.set(element, { ...known, label: (known.label = nameEditable(element)) });
  return { ...given, "aria-label": known.label };
};

/* What stands for a field that can't be pointed at: `given` is a name where it has no words. */
const lendField = (label, field, given) => {
  const ticks = field.type === "checkbox" || field.type === "radio";
  const role = ticks ? attribute(field, "role") || field.type : "button";
  const lends = { ...given, role };
  if (!label.textContent.trim()) {
    const name = attribute(field, "aria-label") || attribute(field, "title") || makeName(field);
    if (name) lends["aria-label"] = name;
  }
  if (ticks) lends["aria-checked"] = field.indeterminate ? "mixed" : String(field.checked);
  if (field.disabled) lends["aria-disabled"] = "true";
  return lends;
};

const lend = (element, holds, holdsScripted, points) => {
  const tag = element.tagName.toUpperCase();
  if (isEditable(element) && !attribute(element, "role")) return lendEditable(element);
  const given = holdsScripted ? {} : lendName(element);
  if (isLoneLabel(element)) return lendField(element, element.control, given);
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

const lendHover = (element) => {
  const tag = element.tagName.toUpperCase(), box = element.getBoundingClientRect();
  const isPage = IGNORED.has(tag) || box.width * box.height > (innerWidth * innerHeight) / 2;
  return isPage || isSpared(element) || hasOwnRole(element, tag) ? null : { ...lendName(element), role: "group" };
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
  const wanted = plan(all, roots);
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
