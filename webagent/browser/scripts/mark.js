// Lends roles and names to controls that only scripts know, for one snapshot (see lending/lending.js), and
// returns the page's stamp. With `most`, only on a page without frames, with at most so many elements,
// that has come to rest for a moment: what moves now will have to be read again.
(most) => {
  const page = window.__webagent_page;
  const told = (marked) => {
    const stamp = page?.stamp() || { document: "", look: "", stamp: "", opening: false, body: !!document.body, awaited: true };
    if (marked) globalThis["__WEBAGENT_KEY__"]?.mark();
    return { ...stamp, marked };
  };
  if (!most) return told(true);
  if (!page || !document.body || window.length || document.getElementsByTagName("*").length > most) return told(false);
  const began = page.clock();
  return new Promise((resolve) => {
    const look = () => {
      const now = page.clock();
      if (now - page.moved >= 20) resolve(told(!page.stamp().awaited && !window.length));
      else if (now - began > 100) resolve(told(false));
      else page.later(look, 5);
    };
    look();
  });
}
