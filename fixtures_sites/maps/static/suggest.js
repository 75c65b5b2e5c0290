// Shows links to the first matches below the search box while one types.
"use strict";

const box = document.getElementById("q");
const list = document.getElementById("suggestions");
let asked = "", busy = false;

function hide() {
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

async function suggest() {
  asked = box.value.trim();
  if (asked.length < 2) return hide();
  if (busy) return; // one question at a time, the newest once that is answered
  busy = true;
  let text, found;
  try {
    do {
      text = asked;
      const answer = await fetch("/suggest?q=" + encodeURIComponent(text));
      found = answer.ok ? await answer.json() : [];
    } while (asked !== text && asked.length > 1);
  } finally { busy = false; }
  if (asked === text && box.form.contains(document.activeElement)) show(found);
}

if (box) {
  box.addEventListener("input", suggest);
  box.form.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  box.form.addEventListener("submit", () => { asked = ""; hide(); });
  box.form.addEventListener("focusout", (event) => {
    if (!box.form.contains(event.relatedTarget)) { asked = ""; hide(); }
  });
}
