// What kind of control an element is, and what it holds. Given the types of fields that take no keys, any
// other field that can be typed into gets the focus.
(element, keyless) => {
  const page = window.__webagent_page;
  const inner = element.matches("input,textarea,select,[contenteditable]") ? element
    : element.localName === "label" && element.control ? element.control : element;
  const tag = inner.localName;
  const type = tag === "input" ? inner.type : "";
  if (type === "password" && page) page.secret.add(inner);
  if (page) page.acted = page.clock();
  const readonly = !!inner.readOnly || inner.getAttribute("aria-readonly") === "true";
  const disabled = !!(inner.matches(":disabled") || inner.closest('[aria-disabled="true"]'));
  if (keyless && !readonly && !disabled && tag !== "select" && !keyless.includes(type)) inner.focus();
  const code = inner.closest(".CodeMirror,.cm-editor,.monaco-editor,.ace_editor,.xterm");
  const held = tag === "input" || tag === "textarea" || tag === "select";
  return {
    tag, type,
    editable: inner.isContentEditable,
    secret: type === "password" || !!(page && page.secret.has(inner)),
    search: type === "search" || inner.getAttribute("role") === "searchbox" || !!inner.closest("search,[role=search]"),
    hint: [inner.name, inner.id, inner.autocomplete, inner.placeholder, inner.getAttribute("aria-label"),
      ...[...(inner.labels || [])].map((label) => label.textContent)].filter((one) => typeof one === "string").join(" "),
    readonly, disabled,
    code: !!code,
    value: code ? code.innerText : held ? inner.value : inner.isContentEditable ? inner.innerText : "",
    maxlength: typeof inner.maxLength === "number" ? inner.maxLength : -1,
    min: inner.min || "", max: inner.max || "", step: inner.step || "",
    multiple: !!inner.multiple,
    folder: !!inner.webkitdirectory,
    focused: document.hasFocus() && (inner.getRootNode().activeElement === inner || inner.contains(inner.getRootNode().activeElement)),
  };
}
