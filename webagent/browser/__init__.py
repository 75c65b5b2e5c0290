"""The browser: a Chromium driven by Playwright, as a Session that observes and acts."""
