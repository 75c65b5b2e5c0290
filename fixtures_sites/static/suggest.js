// Suggestions while one types, for every site.
"use strict";

// A listener: one question at a time, the newest once that is answered; `show` gets the newest answer.
const newest = (ask, show) => {
  let asked = 0, busy = false;
  return async () => {
    asked++;
    if (busy) return;
    busy = true;
    let turn, found;
    try {
      do { turn = asked; found = await ask(); } while (turn !== asked);
    } finally { busy = false; }
    show(found);
  };
};

const told = async (path, text) => {
  const answer = await fetch(path + "?q=" + encodeURIComponent(text));
  return answer.ok ? answer.json() : [];
};

// Links to what a search field may mean, in a box below it.
const suggestLinks = (field, box) => {
  field.oninput = newest(async () => (field.value.length > 1 ? told("/suggest", field.value) : []), (found) => {
    if (document.activeElement !== field) return;
    box.replaceChildren(...found.map(({ name, url }) => Object.assign(document.createElement("a"), { href: url, textContent: name })));
    box.hidden = !found.length;
  });
};
