"""`python -m webagent` does what `webagent` does."""

from webagent.cli import main

if __name__ == "__main__":
    main()
