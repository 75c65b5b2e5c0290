// What the snapshot does not tell about this frame: password fields and their values, the groups of
// list boxes, title and size of the view. Takes back what mark lent.
() => {
  globalThis["__WEBAGENT_KEY__"]?.unmark();
  const page = window.__webagent_page;
  const box = (element) => {
    const r = element.getBoundingClientRect();
    return [r.x, r.y, r.width, r.height];
  };
  const secrets = [], selects = [], editors = [];
  const walk = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) {
        if (page) page.watch(element.shadowRoot);
        walk(element.shadowRoot);
      }
      if (element.localName === "input" || element.localName === "textarea") {
        if (element.type === "password" && page) page.secret.add(element);
        if (element.value && (element.type === "password" || (page && page.secret.has(element))))
          secrets.push({ value: element.value, box: box(element), hidden: element.type === "password" });
      } else if (element.isContentEditable && element.getAttribute("role") === "textbox") {
        if (editors.length < 50) editors.push({ box: box(element), text: element.innerText.slice(0, 20000) });
      } else if (element.localName === "optgroup" && element.parentElement && selects.at(-1)?.element !== element.parentElement) {
        const select = element.parentElement;
        if (select.localName === "select") selects.push({ element: select });
      }
    }
  };
  walk(document);
  return {
    title: document.title,
    width: window.innerWidth,
    height: window.innerHeight,
    secrets,
    editors,
    selects: selects.slice(0, 100).map(({ element }) => ({
      box: box(element),
      options: [...element.options].slice(0, 2000).map((option) => ({
        label: option.label.replace(/\s+/g, " ").trim(),
        group: option.parentElement.localName === "optgroup" ? option.parentElement.label.replace(/\s+/g, " ").trim() : "",
      })),
    })),
  };
}
