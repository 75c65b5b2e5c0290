// Lends roles and names to controls that only scripts know, for one snapshot; see page_script.js.
() => { globalThis["__WEBAGENT_KEY__"]?.mark(); }
