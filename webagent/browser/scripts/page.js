// A selector engine that selects the page's body, run by Playwright in the task in which it takes its snapshot and in
// the world in which it keeps refs. What lending.js lends is there for the snapshot alone, no script of the page runs
// between, and the boxes of elements with refs are told right after it: Playwright's own double what a snapshot costs.
// `=lend` lends until later (in frames, whose snapshots come after the main one), `=tell N` only tells, `=N` does both.
// It also answers which refs an element and those around it have, once it has run in a document.
{
  query(root, body) { return this.queryAll(root, body)[0] || null; },
  queryAll(root, body) {
    const answer = (globalThis.__webagent_ask ||= (event) => {
      const refs = [];
      event.composedPath().forEach((node, place) => { if (node._ariaRef) refs.push([place, node._ariaRef.ref]); });
      window.dispatchEvent(new CustomEvent("__webagent_tell", { detail: JSON.stringify(refs) }));
    });
    window.addEventListener("__webagent_ask", answer, true); // document.open() takes listeners away
    const { round } = Math;
    const boxes = (within) => {
      let told = "";
      for (const element of within.querySelectorAll("*")) {
        if (element._ariaRef) {
          const box = element.getBoundingClientRect();
          told += `,"${element._ariaRef.ref}":[${round(box.x)},${round(box.y)},${round(box.width)},${round(box.height)}]`;
        }
        if (element.shadowRoot) told += boxes(element.shadowRoot);
      }
      return told;
    };
    const say = (name, detail) => performance.dispatchEvent(new CustomEvent(name, { detail }));
    const again = (globalThis.__webagent_again ||= () => say("__webagent_done", globalThis.__webagent_done || ""));
    performance.addEventListener("__webagent_again", again);
    const [, lends, number] = /^(?:(lend)|(?:tell )?(\d+))$/.exec(body);
    if (!body.startsWith("tell")) say("__webagent_mark");
    if (!lends) queueMicrotask(() => say("__webagent_done", (globalThis.__webagent_done = `${number} {${boxes(document).slice(1)}}`)));
    const page = document.querySelector("body,frameset");
    return page ? [page] : [];
  },
}
