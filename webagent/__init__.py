"""webagent: a web agent that gets better at a site each time it is used."""

__version__ = "0.1.0"
