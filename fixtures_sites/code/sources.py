"""Files and commits of a seeded repository: what a small project of its language looks like."""

import hashlib
from dataclasses import dataclass

from fixtures_sites.seeded import Dice

FUNCTION = {
    "Python": 'def {snake}({arg}, limit={number}):\n    """{doc}"""\n    found = [one for one in {arg} if one]\n    return found[:limit]\n',
    "TypeScript": "// {doc}\nexport function {camel}({arg}: string[], limit = {number}): string[] {{\n  const found = {arg}.filter(Boolean);\n  return found.slice(0, limit);\n}}\n",
    "Go": "// {pascal}: {doc}\nfunc {pascal}({arg} []string) []string {{\n\tif len({arg}) > {number} {{\n\t\treturn {arg}[:{number}]\n\t}}\n\treturn {arg}\n}}\n",
    "Rust": "/// {doc}\npub fn {snake}({arg}: &[String]) -> Vec<String> {{\n    {arg}.iter().take({number}).cloned().collect()\n}}\n",
    "Ruby": "# {doc}\ndef {snake}({arg}, limit = {number})\n  found = {arg}.compact\n  found.first(limit)\nend\n",
}
ENDING = {"Python": "py", "TypeScript": "ts", "Go": "go", "Rust": "rs", "Ruby": "rb"}
MANIFEST = {
    "Python": (
        "pyproject.toml",
        '[project]\nname = "{name}"\nversion = "{version}"\nrequires-python = ">=3.11"\n',
    ),
    "TypeScript": (
        "package.json",
        '{{\n  "name": "{name}",\n  "version": "{version}",\n  "type": "module"\n}}\n',
    ),
    "Go": ("go.mod", "module code.localhost/{name}\n\n// version {version}\n\ngo 1.24\n"),
    "Rust": ("Cargo.toml", '[package]\nname = "{name}"\nversion = "{version}"\nedition = "2024"\n'),
    "Ruby": (
        "package.gemspec",
        'Gem::Specification.new do |s|\n  s.name = "{name}"\n  s.version = "{version}"\nend\n',
    ),
}
INSTALL = {
    "Python": "pip install {name}",
    "TypeScript": "npm install {name}",
    "Go": "go install code.localhost/{name}@latest",
    "Rust": "cargo add {name}",
    "Ruby": "gem install {name}",
}


@dataclass(frozen=True)
class Plan:
    """What is known of a repository before it has files."""

    name: str
    language: str
    description: str
    license: str
    version: str
    owner: str


def sha(*parts: object) -> str:
    """The 40 digits that name a commit."""
    return hashlib.sha1("/".join(map(str, parts)).encode(), usedforsecurity=False).hexdigest()


def settings(dice: Dice, regions: list[str]) -> str:
    """A settings file; on another branch it has other values."""
    return (
        f"# Settings of the service\nport: {dice.number(30, 99) * 100 + dice.number(1, 99)}\n"
        f"timeout_seconds: {dice.number(5, 90)}\nretries: {dice.number(1, 9)}\n"
        f"log_level: {dice.pick(('debug', 'info', 'warning', 'error'))}\ncache_size_mb: {dice.number(4, 64) * 8}\n"
        f"region: {dice.pick(regions)}\nmax_connections: {dice.number(2, 40) * 25}\n"
    )


def manifest(plan: Plan, version: str) -> tuple[str, str]:
    """Path and content of the file that names the version."""
    path, content = MANIFEST[plan.language]
    return path, content.format(name=plan.name, version=version)


def files_of(plan: Plan, dice: Dice, words: dict[str, list[str]]) -> dict[str, str]:
    """All files on the default branch, by path."""
    ending = ENDING[plan.language]
    path, content = manifest(plan, plan.version)
    found = {
        ".gitignore": "build/\ndist/\n*.log\n.env\n",
        "CHANGELOG.md": f"# Changelog\n\n## {plan.version}\n\n- {dice.pick(words['notes'])}\n",
        "CONTRIBUTING.md": "# Contributing\n\nOpen an issue first. Merge requests need one approval.\n"
        f"Questions go to @{plan.owner}.\n",
        "Dockerfile": f"FROM debian:13\nWORKDIR /app\nCOPY . .\nEXPOSE {dice.number(30, 99) * 100}\n",
        "LICENSE": f"{plan.license}\n\nCopyright (c) {dice.number(2018, 2025)} the authors of {plan.name}\n",
        "README.md": _readme(plan, dice),
        path: content,
        "config/settings.yml": settings(dice, words["regions"]),
        "docs/install.md": f"# Installation\n\n```\n{INSTALL[plan.language].format(name=plan.name)}\n```\n\n"
        f"Needs {dice.pick((2, 4, 8))} GB of memory.\n",
    }
    pairs = [(verb, noun) for verb in words["verbs"] for noun in words["nouns"]]
    for module in dice.some(words["modules"], dice.number(4, 6)):
        parts = [_function(plan.language, verb, noun, dice) for verb, noun in dice.some(pairs, 2)]
        found[f"src/{module}.{ending}"] = "\n\n".join(parts)
    return found


def _function(language: str, verb: str, noun: str, dice: Dice) -> str:
    return FUNCTION[language].format(
        snake=f"{verb}_{noun}",
        camel=verb + noun.title(),
        pascal=verb.title() + noun.title(),
        arg=f"{noun}s",
        number=dice.number(10, 99),
        doc=f"{verb.title()} each {noun} in order.",
    )


def _readme(plan: Plan, dice: Dice) -> str:
    return (
        f"# {plan.name}\n\n{plan.description}.\n\n## Installation\n\n```\n"
        f"{INSTALL[plan.language].format(name=plan.name)}\n```\n\n## Usage\n\nSee `docs/install.md` and the settings in"
        f" `config/settings.yml`. The service answers within {dice.number(2, 40)} ms.\n\n## Contact\n\n"
        f"Ask @{plan.owner}, or open an issue.\n"
    )
