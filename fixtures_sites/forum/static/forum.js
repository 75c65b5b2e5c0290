// The forum's scripts: menus, suggestions, votes in place, the editor, late parts and confirmations.
const start = () => {
  const field = document.getElementById("q"), box = document.getElementById("suggestions");
  suggestLinks(field, box);
  document.addEventListener("click", ({ target }) => {
    if (!target.closest(".search")) box.hidden = true;
    if (!target.closest(".drop")) closeMenus();
  });
  document.addEventListener("keydown", (event) => {
    const typing = /INPUT|TEXTAREA|SELECT/.test(event.target.tagName);
    if (event.key === "Escape") { box.hidden = true; closeMenus(); }
    if (event.key === "/" && !typing) { event.preventDefault(); field.focus(); }
    if (event.key === "Enter" && event.ctrlKey && typing) event.target.form?.requestSubmit();
  });
  document.querySelector("dialog[data-modal]")?.showModal();
  dressMenus(document.querySelector(".own"));
  dress(document.querySelector(".page"));
};
const closeMenus = () => {
  for (const opener of document.querySelectorAll('.drop [aria-expanded="true"]')) opener.click();
};
const dressMenus = (root) => {
  for (const opener of root.querySelectorAll("[data-menu]"))
    opener.onclick = () => {
      const menu = document.getElementById(opener.dataset.menu);
      menu.hidden = !menu.hidden;
      opener.setAttribute("aria-expanded", String(!menu.hidden));
    };
};
const dress = (root) => {
  dressMenus(root);
  for (const form of root.querySelectorAll("form[data-vote]")) form.onsubmit = vote;
  for (const form of root.querySelectorAll("form[data-confirm]"))
    form.onsubmit = () => confirm(form.dataset.confirm);
  for (const editor of root.querySelectorAll("[data-editor]")) dressEditor(editor);
  for (const part of root.querySelectorAll("[data-late]")) {
    const path = part.dataset.late;
    delete part.dataset.late;
    setTimeout(async () => { part.innerHTML = await (await fetch(path)).text(); }, 250);
  }
};
const vote = async (event) => {
  event.preventDefault();
  const form = event.target, body = new URLSearchParams(new FormData(form, event.submitter));
  const answer = await fetch(form.action, { method: "POST", body, headers: { accept: "application/json" } });
  if (!answer.ok) return form.submit();
  const { go, score, mine } = await answer.json();
  if (go) return void (location.href = go);
  form.querySelector(".score").textContent = score;
  for (const button of form.querySelectorAll(".arrow")) button.setAttribute("aria-pressed", String(Number(button.value) === mine));
};
const dressEditor = (editor) => {
  const area = editor.querySelector("textarea"), names = editor.querySelector(".mentions");
  for (const button of editor.querySelectorAll("[data-wrap], [data-line]"))
    button.onclick = () => {
      const { wrap, line } = button.dataset, { selectionStart: from, selectionEnd: to, value } = area;
      area.setRangeText(wrap ? wrap + value.slice(from, to) + wrap : line + value.slice(from, to), from, to, "end");
      area.focus();
    };
  area.oninput = async () => {
    const typed = /@([a-z0-9_]+)$/.exec(area.value.slice(0, area.selectionStart));
    names.hidden = true;
    if (!typed) return;
    const found = await (await fetch("/mention?q=" + encodeURIComponent(typed[1]))).json();
    names.replaceChildren(...found.map((name) => {
      const option = Object.assign(document.createElement("button"), { type: "button", className: "plain", textContent: name });
      option.setAttribute("role", "option");
      option.onclick = () => {
        area.setRangeText(name + " ", area.selectionStart - typed[1].length, area.selectionStart, "end");
        names.hidden = true;
        area.focus();
      };
      return option;
    }));
    names.hidden = !found.length;
  };
  area.onblur = () => setTimeout(() => { names.hidden = true; }, 200);
};
document.addEventListener("arena-late", () => dress(document.querySelector("main")));
start();
