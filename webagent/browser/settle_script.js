// Runs first in every document. Keeps, in window.__webagent_page, what tells whether the page is
// quiet: mutations, timers set by what the agent just did, tabs about to open. Opens closed shadow
// roots to the snapshot and lets lazy frames load. Functions are saved before the page may fake them.
(() => {
  const known = window.__webagent_page;
  if (known) {
    // A frame's first document and the next one share their window.
    known.begin();
    return;
  }
  const clock = Date.now.bind(Date);
  const later = window.setTimeout.bind(window);
  const random = Math.random.bind(Math);
  const page = {
    id: "", mutations: 0, changed: 0, moved: 0, acted: 0, opening: 0,
    timers: new Set(), secret: new WeakSet(), roots: new WeakSet(), shadows: [], clock, later, restless: false,
    moves: 0,
  };
  Object.defineProperty(window, "__webagent_page", { value: page });

  const MEANT = /^(aria-|data-)|^(class|hidden|disabled|open|value|href|src|type|role|alt|title|placeholder|readonly|checked|selected|tabindex|contenteditable|inert|label|for|id|name)$/;
  const observer = new MutationObserver((records) => {
    let grew = false, meant = 0;
    for (const record of records) {
      if (record.type === "attributes") {
        if (record.attributeName === "type" && record.oldValue === "password") page.secret.add(record.target);
        if (!MEANT.test(record.attributeName) || record.target instanceof SVGElement) continue;
      } else if (record.addedNodes.length) grew = true;
      meant++;
    }
    page.moved = clock();
    page.moves++;
    if (!meant) return;
    page.mutations += meant;
    page.changed = page.moved;
    if (grew) eager(document);
  });
  const eager = (root) => {
    for (const frame of root.querySelectorAll('iframe[loading="lazy"]')) frame.loading = "eager";
  };
  page.watch = (root) => {
    if (page.roots.has(root)) return;
    page.roots.add(root);
    if (root !== document) page.shadows.push(new WeakRef(root));
    observer.observe(root, {
      subtree: true, childList: true, characterData: true, attributes: true, attributeOldValue: true,
    });
  };
  // A number that changes with what the fields hold; never their text, which may be secret.
  const held = () => {
    let sum = 0;
    const add = (text) => { for (let i = 0; i < text.length; i++) sum = (Math.imul(sum, 31) + text.charCodeAt(i)) | 0; };
    const roots = [document, ...page.shadows.map((one) => one.deref()).filter(Boolean)];
    for (const root of roots)
      for (const field of root.querySelectorAll("input,textarea,select"))
        add(`${field.checked}${field.selectedIndex}${field.value}|`);
    return sum;
  };
  // `stamp` changes whenever the content of this page or of a same-origin frame may have changed.
  // `look` also with mere movement, and with what fields hold, which is no mutation. `opening` tells that
  // what the agent just did opens a tab or a download, `awaited` that the content is bound to change: the
  // page is being parsed, a timer of the last action runs, or it never rests.
  page.stamp = () => {
    const parts = [];
    let opening = false;
    const visit = (view) => {
      try {
        const other = view.__webagent_page;
        parts.push(other ? other.id + ":" + other.mutations : "?" + random());
        if (other && clock() - other.opening < 600) opening = true;
        for (let i = 0; i < Math.min(view.frames.length, 50); i++) visit(view.frames[i]);
      } catch { parts.push("x"); }
    };
    visit(window);
    return {
      document: page.id, look: page.moves + ":" + held(), stamp: parts.join(" "), opening, body: !!document.body,
      awaited: document.readyState === "loading" || page.timers.size > 0 || page.restless,
    };
  };
  // A snapshot is one task of another world, which tells of its beginning and its end; `performance` is a target that
  // both worlds have and no document takes away.
  const probe = __WEBAGENT_PROBE__;
  const waiting = [];
  let stampThen = null, newest = { number: 0, told: null };
  performance.addEventListener("__webagent_mark", () => {
    stampThen = page.stamp();
    globalThis["__WEBAGENT_KEY__"]?.mark();
  });
  performance.addEventListener("__webagent_done", ({ detail }) => {
    globalThis["__WEBAGENT_KEY__"]?.unmark();
    const space = detail.indexOf(" ");
    newest = { number: +detail.slice(0, space), told: null };
    try {
      newest.told = { boxes: detail.slice(space), stamp: stampThen, ...probe(page) };
    } catch { /* it is read again */ }
    for (const resolve of waiting.splice(0)) resolve();
  });
  // What snapshot `number` does not tell, once it is taken; null where there is a newer one or it can't be told.
  page.taken = async (number) => {
    while (newest.number < number) await new Promise((resolve) => waiting.push(resolve));
    return newest.number === number ? newest.told : null;
  };
  page.begin = () => {
    page.id = random().toString(36).slice(2, 10);
    page.changed = clock();
    page.watch(document);
  };
  page.begin();

  const attachShadow = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (init) {
    const root = attachShadow.call(this, init && init.mode === "closed" ? { ...init, mode: "open" } : init);
    page.watch(root);
    return root;
  };

  // The same for roots that markup declares: those the parser makes itself are seen to elsewhere.
  const declared = /(shadowrootmode\s*=\s*["']?)closed/gi;
  const opened = (text) => (typeof text === "string" ? text.replace(declared, "$1open") : text);
  for (const [owner, name] of [[Element.prototype, "setHTMLUnsafe"], [ShadowRoot.prototype, "setHTMLUnsafe"],
    [Document.prototype, "write"], [Document.prototype, "writeln"], [Document, "parseHTMLUnsafe"]]) {
    const native = owner[name];
    if (native) owner[name] = function (...args) { return native.apply(this, args.map(opened)); };
  }

  const opens = (node) => (node.localName === "a" || node.localName === "area")
    && (node.hasAttribute("download") || (node.target && !/^_(self|top|parent)$/i.test(node.target)));
  const leads = (node) => (node.localName === "a" || node.localName === "area") && node.hasAttribute("href");
  const click = HTMLElement.prototype.click;
  HTMLElement.prototype.click = function () {
    // A link that is in no document: its click never reaches the window.
    if (!this.isConnected && opens(this)) page.opening = clock();
    return click.call(this);
  };
  const close = window.close;
  window.close = function () {
    page.opening = clock();
    return close.call(window);
  };

  const note = (event) => {
    const target = event.composedPath()[0];
    if (target && target.type === "password") page.secret.add(target);
    if (event.isTrusted) page.acted = clock();
    if (event.type !== "click" && event.type !== "auxclick") return;
    // The middle button, or a click with one of these keys, opens any link beside the page.
    const beside = event.type === "auxclick" ? event.button === 1 : event.ctrlKey || event.metaKey || event.shiftKey;
    if (!event.composedPath().some(beside ? leads : event.type === "click" ? opens : () => false)) return;
    later(() => { if (!event.defaultPrevented) page.opening = clock(); }, 0);
  };
  for (const type of ["mousedown", "mouseup", "click", "auxclick", "keydown", "keyup", "input", "change", "submit", "mouseover", "wheel", "drop"])
    window.addEventListener(type, note, { capture: true, passive: true });

  const open = window.open;
  window.open = function (...args) {
    const opened = open.apply(window, args);
    if (opened) page.opening = clock();
    return opened;
  };

  // Timers that the agent's own action started (a debounced search, a menu that opens late) are
  // waited for; any other timer is the page's business.
  // So are timers that such a timer starts, a few times over.
  const setTimer = window.setTimeout;
  const DEEPEST = 3;
  let depth = 0; // of the timer that runs now
  window.setTimeout = function (handler, delay, ...rest) {
    const begun = depth > 0 ? depth < DEEPEST : clock() - page.acted < 80;
    const caused = typeof handler === "function" && delay > 30 && delay <= 700 && begun;
    if (!caused) return setTimer.call(window, handler, delay, ...rest);
    const level = depth + 1;
    const id = setTimer.call(window, function (...args) {
      page.timers.delete(id);
      depth = level;
      try {
        return handler.apply(this, args);
      } finally {
        depth = 0;
      }
    }, delay, ...rest);
    page.timers.add(id);
    return id;
  };
  for (const name of ["clearTimeout", "clearInterval"]) {
    const clear = window[name];
    window[name] = function (id) {
      page.timers.delete(id);
      return clear.call(window, id);
    };
  }
})();
