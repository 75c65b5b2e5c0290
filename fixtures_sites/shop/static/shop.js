// The shop's scripts: menu, suggestions, steppers, gallery, late parts, confirmations and the newsletter.
const start = () => {
  const menu = document.getElementById("departments"), opener = document.getElementById("open-menu");
  opener.onclick = () => {
    menu.hidden = !menu.hidden;
    opener.setAttribute("aria-expanded", String(!menu.hidden));
  };
  const field = document.getElementById("q"), box = document.getElementById("suggestions");
  suggestLinks(field, box);
  field.onkeydown = (event) => { if (event.key === "Escape") box.hidden = true; };
  document.addEventListener("click", (event) => { if (!event.target.closest(".search")) box.hidden = true; });
  document.querySelector("dialog[data-modal]")?.showModal();
  dress(document);
};
const dress = (root) => {
  for (const stepper of root.querySelectorAll("[data-stepper]")) {
    const number = stepper.querySelector("input");
    for (const button of stepper.querySelectorAll("[data-by]"))
      button.onclick = () => { number.value = Math.min(10, Math.max(1, Number(number.value) + Number(button.dataset.by))); };
  }
  for (const form of root.querySelectorAll("form[data-confirm]"))
    form.onsubmit = () => confirm(form.dataset.confirm);
  for (const thumb of root.querySelectorAll(".thumb"))
    thumb.onclick = () => { thumb.closest("[data-gallery]").querySelector("svg").style.filter = `hue-rotate(${thumb.dataset.tone * 40}deg)`; };
  for (const part of root.querySelectorAll("[data-late]"))
    setTimeout(async () => { part.innerHTML = await (await fetch(part.dataset.late)).text(); }, 250);
};
document.addEventListener("arena-late", () => dress(document));
start();
