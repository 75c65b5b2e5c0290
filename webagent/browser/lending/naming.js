// Part three of the script that lends: what nameless elements are called.

const FIELDS = new Set(["INPUT", "SELECT", "TEXTAREA"]);
const SHAPES = new Set(["RECT", "CIRCLE", "ELLIPSE", "LINE", "POLYLINE", "POLYGON", "PATH", "G", "TEXT", "USE", "IMAGE"]);

const DULL = new Set(("icon icons ico fa fas far fal fab fad glyphicon material symbols outlined rounded sharp mdi bi btn " +
  "button buttons link ui el css js jsx svg img image wrapper wrap container inner outer item items cell box div span " +
  "block row col column flex grid active selected hover focus focused disabled enabled open opened closed hidden show " +
  "shown visible state default primary secondary small large medium big left right top bottom center clickable click " +
  "control controls component root helper reset clearfix draggable droppable sortable widget content corner all front " +
  "first last odd even new the and for with mini id").split(" "));
const wordsOf = (text) => {
  const words = [];
  for (const part of (text || "").slice(0, 300).split(/[\s_\-./:#|]+/)) {
    if (/\d{3,}|\d[a-z]+\d/i.test(part)) continue; // generated
    for (const word of part.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/\d+/g, " $& ").toLowerCase().split(/\s+/))
      if ((word.length > 2 || /^\d+$/.test(word)) && !DULL.has(word) && (/[aeiouy\d]/.test(word) || /[^\x00-\x7f]/.test(word)))
        words.push(word);
  }
  const unique = [...new Set(words)];
  return unique.every((word) => /^\d+$/.test(word)) ? "" : unique.slice(0, 3).join(" ");
};
const attribute = (element, name) => apply(getAttribute, element, [name]) || "";
const fileOf = (url) => (url.startsWith("data:") ? "" : url.split(/[?#]/)[0].split("/").pop().replace(/\.\w+$/, ""));
const COLOURS = { black: [0, 0, 0], grey: [128, 128, 128], white: [255, 255, 255], red: [255, 0, 0], orange: [255, 165, 0],
  yellow: [255, 255, 0], green: [0, 128, 0], lime: [0, 255, 0], cyan: [0, 255, 255], blue: [0, 0, 255],
  purple: [128, 0, 128], magenta: [255, 0, 255], pink: [255, 192, 203], brown: [139, 69, 19] };
/* The colour that an element was given itself, as a word. */
const colourOf = (element) => {
  const colour = attribute(element, "fill") || element.style?.fill || element.style?.backgroundColor || "";
  if (/^(none|transparent|inherit|initial|unset|currentcolor)?$/i.test(colour)) return "";
  if (/^[a-z]{3,}$/i.test(colour)) return colour.toLowerCase();
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(colour);
  const rgb = hex
    ? hex[1].replace(/^(.)(.)(.)$/, "$1$1$2$2$3$3").match(/../g).map((pair) => parseInt(pair, 16))
    : (/^rgb\((.*)\)$/.exec(colour)?.[1] || "").split(",").map(Number);
  if (rgb.length !== 3) return "";
  const away = (name) => COLOURS[name].reduce((sum, part, at) => sum + (part - rgb[at]) ** 2, 0);
  return Object.keys(COLOURS).reduce((best, name) => (away(name) < away(best) ? name : best));
};
const dataOf = (element) =>
  ["data-icon", "data-action", "data-name", "data-label", "data-tooltip", "data-title", "data-value", "data-testid",
    "data-test", "data-id"].map((name) => wordsOf(attribute(element, name))).find(Boolean) || "";

const makeName = (element) => {
  const tag = element.tagName.toUpperCase();
  if (SHAPES.has(tag) && element.ownerSVGElement) {
    return wordsOf(attribute(element, "class")) || wordsOf(element.id) || tag.toLowerCase();
  }
  const inside = element.firstElementChild;
  const icon = element.querySelector("i,svg,img,use,[class*=icon]") || inside;
  const use = icon && (icon.localName === "use" ? icon : icon.querySelector("use"));
  const names = FIELDS.has(tag)
    ? [
        element.type === "image" && wordsOf(fileOf(attribute(element, "src"))),
        wordsOf(attribute(element, "name")), wordsOf(element.id), dataOf(element), wordsOf(attribute(element, "class")),
      ]
    : [
        wordsOf(attribute(element, "class")),
        icon && (attribute(icon, "title") || wordsOf(attribute(icon, "class"))),
        use && wordsOf(attribute(use, "href") || attribute(use, "xlink:href")),
        dataOf(element),
        wordsOf(element.id),
        wordsOf(attribute(element, "name")),
        wordsOf(fileOf(attribute(element, "src") || (icon && attribute(icon, "src")) || "")),
        tag === "A" && wordsOf(fileOf(attribute(element, "href"))),
      ];
  const last = { IMG: "image", SVG: "drawing", CANVAS: "canvas" }[tag] || "";
  return names.find(Boolean) || last;
};

const NAMED = "[aria-label],[alt],[title],svg title,input,select,textarea,iframe";
const SEEN = /[^\s\u200b\ue000-\uf8ff]/; // private letters are icons
let labelled = new Set(); // controls that have a label: asking each for its labels goes through the page each time
const isNameless = (element, tag) => {
  if (tag !== "IMG" && !FIELDS.has(tag) && SEEN.test(element.textContent)) return false;
  for (const name of ["aria-label", "aria-labelledby", "title", "placeholder"])
    if (attribute(element, name).trim()) return false;
  if (labelled.has(element)) return false;
  if (tag === "IMG") return !attribute(element, "alt").trim();
  if (tag === "INPUT") {
    const type = element.type;
    if (type === "submit" || type === "reset") return false;
    if (type === "button") return !element.value.trim();
    return !(type === "image" && attribute(element, "alt").trim());
  }
  if (FIELDS.has(tag)) return true;
  return !element.querySelector(NAMED);
};

/* Editable text is called by what stands in it as long as it is empty, else by its id or class. */
const nameEditable = (element) => {
  const inside = element.querySelector("[data-placeholder]");
  return attribute(element, "data-placeholder") || (inside && attribute(inside, "data-placeholder"))
    || wordsOf(element.id) || wordsOf(attribute(element, "class")) || "editable text";
};
