// The travel site's scripts: suggestions, kinds of trips, steppers, menus, late parts, seats, confirmations.
const all = (root, selector) => [...root.querySelectorAll(selector)];
const combo = (box) => {
  const field = box.querySelector("input"), list = box.querySelector("ul");
  const close = () => { list.hidden = true; field.setAttribute("aria-expanded", "false"); };
  const take = (option) => { field.value = option.dataset.value; close(); };
  field.oninput = newest(async () => (field.value.trim() ? told(box.dataset.combo, field.value) : []), (found) => {
    if (document.activeElement !== field) return;
    list.replaceChildren(...found.map(({ value, more }) => {
      const option = document.createElement("li");
      option.setAttribute("role", "option");
      option.setAttribute("aria-label", value);
      option.dataset.value = value;
      option.append(value + " ", Object.assign(document.createElement("small"), { textContent: more }));
      option.onmousedown = (event) => event.preventDefault();
      option.onclick = () => take(option);
      return option;
    }));
    list.hidden = !found.length;
    field.setAttribute("aria-expanded", String(!!found.length));
  });
  field.onkeydown = (event) => {
    const options = [...list.children], now = options.findIndex((option) => option.ariaSelected === "true");
    if (event.key === "Escape") close();
    if (list.hidden || !options.length) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const next = (now + (event.key === "ArrowDown" ? 1 : -1) + options.length) % options.length;
      options.forEach((option, place) => option.setAttribute("aria-selected", String(place === next)));
    }
    if (event.key === "Enter") { event.preventDefault(); take(options[Math.max(0, now)]); }
  };
  field.onblur = close;
};
const turn = (part, on) => { part.hidden = !on; part.disabled = !on; };
const flightSearch = (form) => {
  const kinds = all(form, "[name=trip]"), legs = all(form, "[data-leg]"), more = form.querySelector("[data-more]");
  for (const kind of kinds) kind.onchange = () => {
    for (const part of all(form, "[data-for]")) turn(part, part.dataset.for.split(" ").includes(kind.value));
  };
  more.onclick = () => {
    const next = legs.find((leg) => leg.hidden);
    if (next) turn(next, true);
    more.hidden = legs.every((leg) => !leg.hidden);
  };
  for (const drop of all(form, "[data-drop]")) drop.onclick = () => { turn(drop.closest("[data-leg]"), false); more.hidden = false; };
  form.querySelector("[data-swap]").onclick = () => {
    const [from, to] = ["from", "to"].map((name) => form.elements[name]);
    [from.value, to.value] = [to.value, from.value];
  };
};
const counted = (count, one, many) => (count ? `${count} ${count === 1 ? one : many}` : "");
const steppers = (pop) => {
  const boxes = all(pop, "[data-stepper]"), count = (name) => Number(pop.querySelector(`[name=${name}]`)?.value || 0);
  const ages = pop.querySelector("#ages"), cabin = pop.querySelector("#cabin");
  const opener = document.querySelector(`[data-menu=${pop.id}]`);
  const show = () => {
    const flights = pop.id === "party", full = count("adults") + count("children") + count("infants") >= 9;
    for (const box of boxes) {
      const [less, next] = all(box, "button"), value = Number(box.querySelector("input").value);
      box.querySelector("output").value = value;
      less.disabled = value <= Number(box.dataset.low) || (flights && box.dataset.stepper === "adults" && value <= count("infants"));
      next.disabled = value >= Number(box.dataset.high) || (flights && (full || (box.dataset.stepper === "infants" && value >= count("adults"))));
    }
    if (flights) {
      document.getElementById("party-rule").textContent = full ? "At most nine passengers." : count("infants") && count("infants") >= count("adults") ? "One infant for each adult." : "";
      opener.textContent = [counted(count("adults"), "adult", "adults"), counted(count("children"), "child", "children"), counted(count("infants"), "infant", "infants"), cabin.selectedOptions[0].text].filter(Boolean).join(", ");
    } else {
      const known = ages.dataset.ages.split(",");
      while (ages.children.length > count("children")) ages.lastChild.remove();
      while (ages.children.length < count("children")) {
        const n = ages.children.length, label = document.createElement("label"), choice = document.createElement("select");
        choice.name = `age${n}`;
        choice.append(new Option("Age", ""), ...[...Array(18).keys()].map((age) => new Option(age, age, false, known[n] === String(age))));
        label.append(`Age of child ${n + 1} `, choice);
        ages.append(label);
      }
      opener.textContent = [counted(count("rooms"), "room", "rooms"), counted(count("adults"), "adult", "adults"), counted(count("children"), "child", "children")].filter(Boolean).join(", ");
    }
  };
  for (const box of boxes) for (const button of all(box, "[data-by]")) button.onclick = () => {
    const field = box.querySelector("input");
    field.value = Number(field.value) + Number(button.dataset.by);
    show();
  };
  pop.onchange = show;
  show();
};
const seats = (form) => {
  for (const map of all(form, "[data-map]")) for (const seat of all(map, "[data-seat]")) seat.onclick = () => {
    const people = all(map, "[type=radio]"), who = people.find((one) => one.checked), fields = all(map, "[type=hidden]");
    const old = fields.findIndex((field) => field.value === seat.dataset.seat);
    if (old >= 0) fields[old].value = "";
    if (old !== Number(who.value)) {
      fields[who.value].value = seat.dataset.seat;
      const next = people.find((one) => !fields[one.value].value);
      if (next) next.checked = true;
    }
    fields.forEach((field, place) => { map.querySelector(`[data-of="${place}"]`).value = field.value && `– ${field.value}`; });
    for (const one of all(map, "[data-seat]")) one.setAttribute("aria-pressed", String(fields.some((field) => field.value === one.dataset.seat)));
  };
};
const dress = (root) => {
  all(root, "[data-combo]").forEach(combo);
  all(root, "#flight-search").forEach(flightSearch);
  all(root, "#party, #guests").forEach(steppers);
  all(root, "[data-seats]").forEach(seats);
  for (const opener of all(root, "[data-menu]")) opener.onclick = () => {
    const pop = document.getElementById(opener.dataset.menu);
    pop.hidden = !pop.hidden;
    opener.setAttribute("aria-expanded", String(!pop.hidden));
  };
  for (const button of all(root, "[data-close]")) button.onclick = () => {
    const pop = button.closest(".pop");
    pop.hidden = true;
    document.querySelector(`[data-menu=${pop.id}]`).setAttribute("aria-expanded", "false");
  };
  for (const form of all(root, "form[data-confirm]")) form.onsubmit = () => confirm(form.dataset.confirm);
  for (const range of all(root, "[type=range]")) range.oninput = () => { root.querySelector(`output[for=${range.id}]`).value = `$${range.value}`; };
  for (const button of all(root, "[data-fill]")) button.onclick = () => {
    for (const [name, value] of Object.entries(JSON.parse(button.dataset.fill))) document.querySelector(`main form [name=${name}]`).value = value;
  };
  for (const button of all(root, "[data-details]")) button.onclick = () => {
    const details = button.closest("li").querySelector(".details");
    details.hidden = !details.hidden;
    button.setAttribute("aria-expanded", String(!details.hidden));
  };
  for (const button of all(root, "[data-show-offers]")) button.onclick = () => {
    all(document, "[data-more-offer]").forEach((offer) => { offer.hidden = false; });
    button.remove();
  };
  for (const part of all(root, "[data-late]")) setTimeout(async () => {
    const answer = await fetch(part.dataset.late);
    part.innerHTML = answer.ok ? await answer.text() : `<p role="alert">This could not be loaded. <a href="">Try again</a></p>`;
    part.removeAttribute("aria-busy");
    dress(part);
  }, 350);
};
const strip = document.querySelector("[data-strip]");
if (!sessionStorage.strip) setTimeout(() => { strip.hidden = false; }, 600);
strip.querySelector("button").onclick = () => { sessionStorage.strip = "closed"; strip.hidden = true; };
document.querySelector("dialog[data-modal]")?.showModal();
document.addEventListener("arena-late", () => dress(document.querySelector("main")));
dress(document);
