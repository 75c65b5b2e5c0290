// Whether this page is worth reading before it is known to be quiet: it has no frames, at most so many elements, and has
// come to rest for a moment. What moves now will have to be read again.
(most) => {
  const page = window.__webagent_page;
  if (!page || !document.body || window.length || document.getElementsByTagName("*").length > most) return false;
  const began = page.clock();
  return new Promise((resolve) => {
    const look = () => {
      const now = page.clock();
      if (now - page.moved >= 20) resolve(!page.stamp().awaited && !window.length);
      else if (now - began > 100) resolve(false);
      else page.later(look, 5);
    };
    look();
  });
}
