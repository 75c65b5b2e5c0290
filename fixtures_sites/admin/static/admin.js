// The back office's scripts: menu, filter panel, ticking all, editing in a row, late parts, confirmations.
const start = () => {
  for (const opener of document.querySelectorAll(".side .part"))
    opener.onclick = () => {
      for (const other of document.querySelectorAll(".side .part")) {
        const open = other === opener && opener.getAttribute("aria-expanded") === "false";
        document.getElementById(other.getAttribute("aria-controls")).hidden = !open;
        other.setAttribute("aria-expanded", String(open));
      }
    };
  document.querySelector("dialog[data-modal]")?.showModal();
  dress(document);
};
const edit = (button) => {
  const row = button.closest("tr"), place = button.parentElement, form = document.getElementById("inline");
  const before = [...row.cells].map((cell) => cell.innerHTML);
  for (const cell of row.querySelectorAll("[data-edit]")) {
    const field = Object.assign(document.createElement("input"), { name: cell.dataset.edit, value: cell.dataset.value });
    field.setAttribute("form", "inline");
    field.setAttribute("aria-label", cell.dataset.name);
    cell.replaceChildren(field);
  }
  const save = Object.assign(document.createElement("button"), { textContent: "Save", type: "button" });
  const drop = Object.assign(document.createElement("button"), { textContent: "Cancel", type: "button", className: "plain" });
  save.onclick = () => { form.elements.id.value = place.dataset.row; form.submit(); };
  drop.onclick = () => { [...row.cells].forEach((cell, n) => { cell.innerHTML = before[n]; }); dress(row); };
  place.replaceChildren(save, drop);
  row.querySelector("input[name=price]").focus();
};
const dress = (root) => {
  for (const opener of root.querySelectorAll("[data-opens]"))
    opener.onclick = () => {
      const panel = document.getElementById(opener.dataset.opens);
      panel.hidden = !panel.hidden;
      opener.setAttribute("aria-expanded", String(!panel.hidden));
    };
  for (const all of root.querySelectorAll("[data-all]"))
    all.onchange = () => { for (const one of document.querySelectorAll("[name=ids]")) one.checked = all.checked; };
  for (const button of root.querySelectorAll("[data-inline]")) button.onclick = () => edit(button);
  for (const form of root.querySelectorAll("form[data-confirm]"))
    form.onsubmit = () => confirm(form.dataset.confirm);
  for (const part of root.querySelectorAll("[data-late]"))
    setTimeout(async () => { part.innerHTML = await (await fetch(part.dataset.late)).text(); }, 300);
};
document.addEventListener("arena-late", () => dress(document));
start();
