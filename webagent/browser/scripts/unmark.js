// Takes back what mark lent.
() => { globalThis["__WEBAGENT_KEY__"]?.unmark(); }
