// What the snapshot does not tell about this frame, as it is now: password fields and their values, the groups of list
// boxes, title and size of the view, what finds its frames another day. `page` is window.__webagent_page, where it is.
(page) => {
  const box = (element) => {
    const r = element.getBoundingClientRect();
    return [r.x, r.y, r.width, r.height];
  };
  const secrets = [], selects = [], editors = [], frames = [];
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
      } else if (element.localName === "iframe") {
        frames.push(element);
      } else if (element.isContentEditable && element.getAttribute("role") === "textbox") {
        if (editors.length < 50) editors.push({ box: box(element), text: element.innerText.slice(0, 20000) });
      } else if (element.localName === "optgroup" && element.parentElement && selects.at(-1)?.element !== element.parentElement) {
        const select = element.parentElement;
        if (select.localName === "select") selects.push({ element: select });
      }
    }
  };
  walk(document);
  const path = (frame) => {
    const src = (frame.getAttribute("src") || "").split(/[?#]/)[0];
    if (/^(?!https?:)[a-z]+:/i.test(src)) return "";
    return src.replace(/^(https?:)?\/\/[^/]*/i, "").replace(/^\/$/, "");
  };
  const traits = [
    ["title", "", (frame) => frame.getAttribute("title") || ""],
    ["name", "", (frame) => frame.getAttribute("name") || ""],
    ["src", "*", path],
    ["id", "", (frame) => frame.id],
  ];
  const lone = ([attribute, , of], frame) => {
    const value = of(frame);
    const twins = (other) => (attribute === "src" ? (other.getAttribute("src") || "").includes(value) : of(other) === value);
    return /^[^\p{Cc}]{1,100}$/u.test(value) && frames.filter(twins).length === 1;
  };
  // What has a number in it may have another one the next day.
  const selector = (frame) => {
    const telling = traits.filter((trait) => lone(trait, frame));
    const best = telling.find(([, , of]) => !/\d/.test(of(frame))) || telling[0];
    if (!best) return `iframe >> nth=${frames.indexOf(frame)}`;
    return `iframe[${best[0]}${best[1]}="${best[2](frame).replace(/["\\]/g, "\\$&")}"]`;
  };
  return {
    title: document.title,
    width: window.innerWidth,
    height: window.innerHeight,
    secrets,
    editors,
    frames: frames.slice(0, 50).map((frame) => ({ box: box(frame), selector: selector(frame) })),
    selects: selects.slice(0, 100).map(({ element }) => ({
      box: box(element),
      options: [...element.options].slice(0, 2000).map((option) => ({
        label: option.label.replace(/\s+/g, " ").trim(),
        group: option.parentElement.localName === "optgroup" ? option.parentElement.label.replace(/\s+/g, " ").trim() : "",
      })),
    })),
  };
}
