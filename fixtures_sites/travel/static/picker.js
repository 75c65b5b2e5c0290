// A calendar of our own beside fields that take a date: months to leaf through, days as buttons.
const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
let calendar = null;
const closeCalendar = () => { calendar?.remove(); calendar = null; };
const two = (number) => String(number).padStart(2, "0");
const openCalendar = (field) => {
  closeCalendar();
  const from = field.value || document.querySelector("[data-picker][name=depart]")?.value || field.dataset.first;
  let [year, month] = from.split("-").map(Number);
  calendar = document.createElement("div");
  calendar.className = "calendar";
  calendar.setAttribute("role", "dialog");
  calendar.setAttribute("aria-label", "Choose a date");
  const place = field.getBoundingClientRect();
  calendar.style.left = place.left + scrollX + "px";
  calendar.style.top = place.bottom + scrollY + 4 + "px";
  const step = (by) => { month += by; if (month > 12) { month = 1; year++; } if (month < 1) { month = 12; year--; } draw(); };
  const draw = () => {
    const header = document.createElement("header");
    const button = (name, text, act) => Object.assign(document.createElement("button"), { type: "button", className: "quiet", textContent: text, ariaLabel: name, onclick: act });
    const title = Object.assign(document.createElement("strong"), { textContent: `${MONTHS[month - 1]} ${year}` });
    title.setAttribute("aria-live", "polite");
    header.append(button("Previous month", "‹", () => step(-1)), title, button("Next month", "›", () => step(1)));
    const days = Object.assign(document.createElement("div"), { className: "days" });
    for (const name of ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"]) days.append(Object.assign(document.createElement("span"), { textContent: name }));
    for (let n = (new Date(Date.UTC(year, month - 1, 1)).getUTCDay() + 6) % 7; n > 0; n--) days.append(document.createElement("span"));
    for (let n = 1; n <= new Date(Date.UTC(year, month, 0)).getUTCDate(); n++) {
      const value = `${year}-${two(month)}-${two(n)}`;
      const day = button(`${n} ${MONTHS[month - 1]} ${year}`, String(n), () => { field.value = value; closeCalendar(); field.focus(); });
      day.disabled = value < field.dataset.first || value > field.dataset.last;
      days.append(day);
    }
    calendar.replaceChildren(header, days, button("Close calendar", "Close", closeCalendar));
  };
  draw();
  document.body.append(calendar);
};
document.addEventListener("click", (event) => {
  if (event.target.matches?.("[data-picker]")) openCalendar(event.target);
  else if (calendar && event.target.isConnected && !calendar.contains(event.target)) closeCalendar();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") closeCalendar();
  if (event.key === "Enter" && event.target.matches?.("[data-picker]")) { event.preventDefault(); openCalendar(event.target); }
});
