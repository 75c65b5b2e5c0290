// Shows links to the first matches below the search box while one types.
"use strict";

const box = document.getElementById("q");
const list = document.getElementById("suggestions");
let typing = false;

function hide() {
  typing = false;
  list.hidden = true;
  list.replaceChildren();
}

function show(found) {
  const items = found.map((place) => {
    const name = Object.assign(document.createElement("strong"), { textContent: place.name });
    const where = Object.assign(document.createElement("small"), { textContent: place.where });
    const link = Object.assign(document.createElement("a"), { href: place.url });
    link.append(name, " ", where);
    const item = document.createElement("li");
    item.append(link);
    return item;
  });
  const entries = document.createElement("ul");
  entries.setAttribute("aria-label", "Suggestions");
  entries.append(...items);
  list.replaceChildren(entries);
  list.hidden = items.length === 0;
}

const suggest = newest(async () => (box.value.trim().length > 1 ? told("/suggest", box.value.trim()) : []), (found) => {
  if (typing && box.form.contains(document.activeElement)) show(found);
});

if (box) {
  box.addEventListener("input", () => {
    typing = box.value.trim().length > 1;
    if (!typing) hide();
    suggest();
  });
  box.form.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  box.form.addEventListener("submit", hide);
  box.form.addEventListener("focusout", (event) => {
    if (!box.form.contains(event.relatedTarget)) hide();
  });
}
