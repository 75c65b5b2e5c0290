// The site's scripts: menus, suggestions, side-bar forms, late parts, confirmations, dialogs.
const start = () => {
  const field = document.getElementById("q"), box = document.getElementById("suggestions");
  suggestLinks(field, box);
  field.onkeydown = (event) => { if (event.key === "Escape") box.hidden = true; };
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !event.target.closest("input, textarea, select")) { event.preventDefault(); field.focus(); }
    if (event.key === "Escape") for (const menu of document.querySelectorAll(".drop > div")) menu.hidden = true;
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest(".search")) box.hidden = true;
    for (const menu of document.querySelectorAll(".drop > div")) if (!menu.parentElement.contains(event.target)) menu.hidden = true;
  });
  document.querySelector("dialog[data-modal]")?.showModal();
  dress(document);
};
const dress = (root) => {
  for (const opener of root.querySelectorAll("[data-opens]"))
    opener.onclick = () => {
      const part = document.getElementById(opener.dataset.opens);
      part.hidden = !part.hidden;
      opener.setAttribute("aria-expanded", String(!part.hidden));
    };
  for (const opener of root.querySelectorAll("[data-dialog]"))
    opener.onclick = () => document.getElementById(opener.dataset.dialog).showModal();
  for (const closer of root.querySelectorAll("[data-close]"))
    closer.onclick = () => closer.closest("dialog").close();
  for (const form of root.querySelectorAll("form[data-confirm]"))
    form.onsubmit = () => confirm(form.dataset.confirm);
  for (const field of root.querySelectorAll("[data-must-be]")) {
    const button = field.form.querySelector("button:not([type=button])");
    field.oninput = () => { button.disabled = field.value !== field.dataset.mustBe; };
    button.disabled = true;
  }
  const body = root.querySelector("[data-comment]"), closer = root.querySelector("[data-closer]");
  if (body && closer) {
    const plain = closer.textContent;
    body.oninput = () => { closer.textContent = body.value.trim() ? "Comment & " + plain.toLowerCase() : plain; };
  }
  const name = root.querySelector("[data-names]");
  if (name) name.oninput = () => {
    document.getElementById(name.dataset.names).value = name.value.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
  };
  for (const part of root.querySelectorAll("[data-late]"))
    setTimeout(async () => { part.innerHTML = await (await fetch(part.dataset.late)).text(); part.removeAttribute("data-late"); dress(part); }, 250);
};
document.addEventListener("arena-late", () => dress(document));
start();
