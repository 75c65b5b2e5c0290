// A selector engine that selects nothing: once it has run in a document it answers, from the world in
// which Playwright keeps the refs of its snapshots, which refs an element and those around it have.
{
  query() { return null; },
  queryAll() {
    if (!globalThis.__webagent_ask) {
      globalThis.__webagent_ask = true;
      window.addEventListener("__webagent_ask", (event) => {
        const refs = [];
        event.composedPath().forEach((node, place) => { if (node._ariaRef) refs.push([place, node._ariaRef.ref]); });
        window.dispatchEvent(new CustomEvent("__webagent_tell", { detail: JSON.stringify(refs) }));
      }, true);
    }
    return [];
  },
}
