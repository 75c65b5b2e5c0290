// Tells whether the content of this page or of a same-origin frame changed; see settle_script.js.
() => window.__webagent_page?.stamp() || { document: "", look: "", stamp: "", opening: false, body: !!document.body, awaited: true }
