// Resolves once this page and its same-origin frames were quiet for `quiet` ms, or after `cap` ms.
// Mere movement (style, SVG geometry) is waited for less long than a change of content.
({ quiet, cap, still }) => {
  const views = (view, found) => {
    try {
      if (view.__webagent_page) found.push(view.__webagent_page);
      for (let i = 0; i < Math.min(view.frames.length, 50); i++) views(view.frames[i], found);
    } catch { /* another origin: asked on its own */ }
    return found;
  };
  const own = window.__webagent_page;
  const clock = own ? own.clock : Date.now;
  const later = own ? own.later : window.setTimeout.bind(window);
  const began = clock();
  const limit = own && own.restless ? Math.min(cap, 300) : cap;
  return new Promise((resolve) => {
    const look = () => {
      const now = clock();
      const pages = views(window, []);
      let last = began - quiet + still, waiting = document.readyState === "loading", opening = false;
      for (const page of pages) {
        last = Math.max(last, page.changed, Math.min(page.moved, began + 300), page.acted);
        if (page.timers.size) waiting = true;
        if (now - page.opening < 600) opening = true;
      }
      const calm = !waiting && now - last >= quiet;
      if (!calm && now - began < limit) return void later(look, Math.max(5, Math.min(20, quiet - (now - last))));
      if (own && !calm && !waiting && cap >= 1000) own.restless = true;
      if (opening) for (const page of pages) page.opening = 0;
      resolve({ calm, opening, restless: !!(own && own.restless && !calm), stamp: own ? own.stamp() : null });
    };
    look();
  });
}
