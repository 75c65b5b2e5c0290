// Lends roles and names to controls that only scripts know, for one snapshot (see lending/lending.js), and
// returns the page's stamp. With `most`, only on a page at rest without frames, with at most so many
// elements.
(most) => {
  const stamp = window.__webagent_page?.stamp()
    || { document: "", look: "", stamp: "", opening: false, body: !!document.body, awaited: true };
  const marked = !most || (stamp.body && !stamp.awaited && !window.length && document.getElementsByTagName("*").length <= most);
  if (marked) globalThis["__WEBAGENT_KEY__"]?.mark();
  return { ...stamp, marked };
}
