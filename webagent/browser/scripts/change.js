// Resolves once the document has changed, or after `cap` ms.
({ cap }) => {
  const page = window.__webagent_page;
  if (!page) return true;
  const mutations = page.mutations, began = page.clock();
  return new Promise((resolve) => {
    const look = () => {
      if (page.mutations !== mutations || page.clock() - began > cap) resolve(true);
      else page.later(look, 25);
    };
    look();
  });
}
