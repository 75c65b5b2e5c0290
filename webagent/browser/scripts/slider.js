// What a slider made from other elements says it holds; null where it says no number.
(element) => {
  const now = element.getAttribute("aria-valuenow");
  return now === null || now.trim() === "" || Number.isNaN(+now) ? null : +now;
}
