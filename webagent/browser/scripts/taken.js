// What snapshot `number` does not tell about this frame, once it is taken: the page's stamp then, the boxes of elements
// with refs, and what probe.js tells. The boxes are JSON: objects cost Playwright far more than a text.
async (number) => {
  const page = window.__webagent_page;
  if (page) return page.taken(number);
  const probe = __WEBAGENT_PROBE__;
  const boxes = await new Promise((resolve) => {
    performance.addEventListener("__webagent_done", ({ detail }) => {
      if (detail.startsWith(number + " ")) resolve(detail.slice(detail.indexOf(" ")));
    });
    performance.dispatchEvent(new CustomEvent("__webagent_again")); // it may have been taken
    setTimeout(resolve, 200, "{}");
  });
  const stamp = { document: "", look: "", stamp: "", opening: false, body: !!document.body };
  return { boxes, stamp, ...probe(null) };
}
