// Changes whenever the content of this page or of a same-origin frame may have changed. `opening`
// tells that what the agent just did opens a tab or a download.
() => {
  const parts = [];
  let opening = false;
  const visit = (view) => {
    try {
      const page = view.__webagent_page;
      parts.push(page ? page.id + ":" + page.mutations : "?" + Math.random());
      if (page && page.clock() - page.opening < 600) opening = true;
      for (let i = 0; i < Math.min(view.frames.length, 50); i++) visit(view.frames[i]);
    } catch { parts.push("x"); }
  };
  visit(window);
  const own = window.__webagent_page;
  return { document: own ? own.id : "", stamp: parts.join(" "), opening, body: !!document.body };
}
