// Part two of the script that lends: which elements show something when the pointer comes.

const REVEALING = ["display", "visibility", "opacity", "max-height", "height", "pointer-events", "clip-path", "transform"];
const MOST_RULES = 5000;
const selectorsOf = new WeakMap(); // style sheet -> [how many rules it had, what its :hover rules are about]

const reveals = (rule) => REVEALING.some((name) => rule.style.getPropertyValue(name) !== "");

/* From `nav li:hover > ul`: `nav li`. Only what a hover does to others counts. */
const hoverBases = (rules, found, left) => {
  for (const rule of rules) {
    if (left.rules-- <= 0) return;
    if (rule.selectorText?.includes(":hover") && reveals(rule)) {
      for (const part of rule.selectorText.split(",")) {
        const base = /^(.*?):hover[^\s>+~]*[\s>+~]/.exec(part.trim());
        if (base && !/[>+~\s]$/.test(base[1])) found.push(base[1] || "*");
      }
    } else if (rule.cssRules && !rule.selectorText) hoverBases(rule.cssRules, found, left);
  }
};

/* Elements whose hovering shows others, by style or by script; only reads. */
const hoverTargets = (all, roots) => {
  const found = new Set();
  for (const root of roots)
    for (const sheet of [...root.styleSheets, ...root.adoptedStyleSheets]) {
      const rules = attempt(() => sheet.cssRules); // another origin's are not to be read
      if (!rules) continue;
      let known = selectorsOf.get(sheet);
      if (!known || known[0] !== rules.length) {
        selectorsOf.set(sheet, (known = [rules.length, []]));
        attempt(hoverBases, rules, known[1], { rules: MOST_RULES });
      }
      for (const selector of new Set(known[1])) for (const element of attempt(() => root.querySelectorAll(selector)) || []) found.add(element);
    }
  for (const element of all) {
    const kinds = hovering.get(element);
    if ((kinds && kinds.size) || typeof element.onmouseenter === "function" || typeof element.onmouseover === "function") found.add(element);
  }
  return found;
};
