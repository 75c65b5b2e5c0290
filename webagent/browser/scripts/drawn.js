// Resolves once the page was drawn twice.
() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
