"""Tasks that ask for something that is written on the site."""

import re

from fixtures_sites.code.roles import ROLES
from fixtures_sites.code.tasks.desk import one, open_file, open_project, people, project, rows, search
from fixtures_sites.seeded import Dice
from fixtures_sites.steps import answer, button, choose, done, fill, link
from fixtures_sites.tasks import Book, Case

BOOK = Book("code")
SETTINGS = "config/settings.yml"
FUNCTION = re.compile(r"^(?:def|export function|func|pub fn) (\w+)", re.MULTILINE)


@BOOK.template(
    "How many stars does the project {path} have?", "Tell me the number of stars of {path}.", count=3
)
def stars(dice: Dice) -> Case:
    """Search, read."""
    found = project(dice, "stars <> forks")
    look = open_project(found)
    return Case(
        {"path": found["path"]},
        {"answer": str(found["stars"])},
        [*look, answer(found["stars"])],
        [*look, answer(found["forks"])],
    )


@BOOK.template(
    "Who made the last change to the file {file} on the main branch of {path}?",
    "Who touched {file} in {path} last?",
    count=3,
)
def last_editor(dice: Dice) -> Case:
    """Open a file, read who committed it."""
    found = project(dice)
    file = dice.pick(
        rows(
            "select f.path, u.name from files f join commits c on c.id = f.commit_id join users u on u.id = c.author"
            " where f.project = ? and f.branch = 'main' order by f.id",
            found["id"],
        )
    )
    other = next(row["name"] for row in people(found) if row["name"] != file["name"])
    look = [*open_project(found), *open_file(file["path"])]
    return Case(
        {"path": found["path"], "file": file["path"]},
        {"answer": file["name"]},
        [*look, answer(file["name"])],
        [*look, answer(other)],
    )


@BOOK.template(
    "What is the tag of the newest release of {path}?",
    "Which version of {path} was released last? Give the tag.",
    count=2,
)
def newest_release(dice: Dice) -> Case:
    """Open the releases, read."""
    found = project(dice)
    tags = [
        row["tag"] for row in rows("select tag from releases where project = ? order by at desc", found["id"])
    ]
    look = open_project(found, "Releases")
    return Case(
        {"path": found["path"]}, {"answer": tags[0]}, [*look, answer(tags[0])], [*look, answer(tags[-1])]
    )


def _settings(project_id: int, branch: str) -> dict[str, str]:
    sql = "select content from files where project = ? and branch = ? and path = ?"
    return dict(re.findall(r"^(\w+): (\S+)$", one(sql, project_id, branch, SETTINGS), re.MULTILINE))


@BOOK.template(
    "What is {key} set to in config/settings.yml of {path}?",
    "Look into the settings file of {path}: which value has {key}?",
    count=3,
)
def setting(dice: Dice) -> Case:
    """Open a folder and a file, read a line."""
    found = project(dice)
    known = _settings(found["id"], "main")
    key, other = dice.some(list(known), 2)
    look = [*open_project(found), *open_file(SETTINGS)]
    return Case(
        {"path": found["path"], "key": key},
        {"answer": known[key]},
        [*look, answer(known[key])],
        [*look, answer(f"{other} {known[other]}")],
    )


@BOOK.template(
    "On the branch {branch} of {path}, which value has {key} in config/settings.yml?", count=2, hard=True
)
def setting_on_branch(dice: Dice) -> Case:
    """Switch to another branch first."""
    while True:
        found = project(dice)
        branch = dice.pick(
            rows(
                "select distinct branch from files where project = ? and branch <> 'main' order by 1",
                found["id"],
            )
        )[0]
        here, main = _settings(found["id"], branch), _settings(found["id"], "main")
        changed = [key for key in here if here[key] != main[key]]
        if changed:
            break
    key = dice.pick(changed)
    look = open_project(found)
    return Case(
        {"path": found["path"], "branch": branch, "key": key},
        {"answer": here[key]},
        [*look, link("Branches"), link(branch), *open_file(SETTINGS), answer(here[key])],
        [*look, *open_file(SETTINGS), answer(main[key])],
    )


@BOOK.template(
    "How many commits did {name} make on the main branch of {path}?",
    "Count the commits by {name} on main of {path}.",
    count=3,
)
def commits_by(dice: Dice) -> Case:
    """Filter the history by author, read the count."""
    found = project(dice)
    author = dice.pick(
        rows(
            "select u.name, count(*) as count from commits c join users u on u.id = c.author where c.project = ? and c.branch = ''"
            " group by u.id order by u.name",
            found["id"],
        )
    )
    total = one("select count(*) from commits where project = ? and branch = ''", found["id"])
    look = open_project(found, "Commits")
    return Case(
        {"path": found["path"], "name": author["name"]},
        {"answer": str(author["count"])},
        [*look, choose("Author", author["name"]), button("Apply filters"), answer(author["count"])],
        [*look, answer(total + 1)],
    )


@BOOK.template("How many files did the commit “{title}” in {path} change?", count=2)
def commit_size(dice: Dice) -> Case:
    """Find a commit by its message, read."""
    found = project(dice)
    commit = dice.pick(
        rows(
            "select title, paths from commits where project = ? and branch = '' and title <> 'Initial commit' group by title"
            " having count(*) = 1 order by id",
            found["id"],
        )
    )
    count = commit["paths"].count("\n") + 1
    look = [
        *open_project(found, "Commits"),
        fill("Search by message", commit["title"]),
        button("Apply filters"),
        link(commit["title"]),
    ]
    return Case(
        {"path": found["path"], "title": commit["title"]},
        {"answer": str(count)},
        [*look, answer(count)],
        [*look, answer(count + 1)],
    )


@BOOK.template(
    "What is the role of {name} in the project {path}?", "Which role does {name} have in {path}?", count=3
)
def role(dice: Dice) -> Case:
    """Open the members, read."""
    found = project(dice)
    someone = dice.pick(people(found))
    wrong = "Reporter" if someone["role"] != 20 else "Developer"
    look = open_project(found, "Members")
    return Case(
        {"path": found["path"], "name": someone["name"]},
        {"answer": ROLES[someone["role"]]},
        [*look, answer(ROLES[someone["role"]])],
        [*look, answer(wrong)],
    )


@BOOK.template(
    "Which project written in {language} has the most stars?",
    "Name the most starred {language} project.",
    count=3,
)
def most_starred(dice: Dice) -> Case:
    """Filter and sort all projects."""
    language = dice.pick(("Go", "Python", "Ruby", "Rust", "TypeScript"))
    found = rows(
        "select path, slug from projects where language = ? and visibility = 'public' and archived = 0 order by stars desc",
        language,
    )
    look = [choose("Language", language), choose("Sort by", "Most stars"), button("Apply filters")]
    return Case(
        {"language": language},
        {"answer": [found[0]["path"], found[0]["slug"]]},
        [*look, answer(found[0]["path"])],
        [*look, answer(found[1]["path"])],
    )


@BOOK.template(
    "How many contributions did {name} make in the last year?",
    "What does the profile of {name} say: how many contributions in the last year?",
    count=2,
)
def contributions(dice: Dice) -> Case:
    """Find a person; the number comes late."""
    someone = dice.pick(rows("select * from users where id > 4 order by id"))
    count = one("select count(*) from commits where author = ? and at >= '2025-06-15'", someone["id"])
    total = one("select count(*) from commits where author = ?", someone["id"])
    look = [*search(someone["name"]), link("Users"), link(someone["name"])]
    return Case(
        {"name": someone["name"]},
        {"answer_matches": rf"(?<!\d){count}(?!\d)"},
        [*look, answer(f"{count} contributions")],
        [*look, answer(total + 100)],
    )


@BOOK.template(
    "In which file of {path} is the function {function} defined?",
    "Find the file of {path} that defines {function}.",
    count=3,
)
def defined_in(dice: Dice) -> Case:
    """Search the code of one project."""
    while True:
        found = project(dice)
        files = rows(
            "select path, content from files where project = ? and path like 'src/%' order by id", found["id"]
        )
        known = [(name, file["path"]) for file in files for name in FUNCTION.findall(file["content"])]
        name, path = dice.pick(known)
        if sum(name in file["content"] for file in files) == 1:
            break
    other = next(file["path"] for file in files if file["path"] != path)
    look = [*open_project(found), fill("Search this project", name, role="searchbox", submit=True)]
    return Case(
        {"path": found["path"], "function": name},
        {"answer": [path, path.removeprefix("src/")]},
        [*look, answer(path)],
        [*look, answer(other)],
    )


@BOOK.template("Who is the release manager of {path} according to its wiki?", count=2)
def release_manager(dice: Dice) -> Case:
    """Open a page of the wiki, read."""
    found = project(dice)
    text = one("select content from wiki where project = ? and slug = 'release-process'", found["id"])
    username = re.search(r"@(\w+)", text)[1]  # type: ignore[index]
    name = one("select name from users where username = ?", username)
    other = next(row["name"] for row in people(found) if row["name"] != name)
    look = [*open_project(found, "Wiki"), link("Release process")]
    return Case(
        {"path": found["path"]},
        {"answer": [username, f"@{username}", name]},
        [*look, answer(f"@{username}")],
        [*look, answer(other)],
    )


@BOOK.template("What role does {name} have in the group {group}?", count=2)
def group_role(dice: Dice) -> Case:
    """Open a group, read its members."""
    someone = dice.pick(
        rows(
            "select g.name as grp, u.name, m.role from group_members m join groups g on g.id = m.grp join users u on u.id = m.user"
            " order by g.id, u.id"
        )
    )
    wrong = "Guest" if someone["role"] != 10 else "Owner"
    look = [link("Groups"), link(someone["grp"])]
    return Case(
        {"group": someone["grp"], "name": someone["name"]},
        {"answer": ROLES[someone["role"]]},
        [*look, answer(ROLES[someone["role"]])],
        [*look, answer(wrong)],
    )


@BOOK.template(
    "Open the file {file} on the branch {branch} of {path}.",
    "Show me {file} of {path} as it is on the branch {branch}.",
    count=2,
)
def show_file(dice: Dice) -> Case:
    """Switch to a branch, open a file."""
    found = project(dice)
    branch = dice.pick(
        rows("select name from branches where project = ? and name <> 'main' order by 1", found["id"])
    )["name"]
    file = dice.pick(("README.md", "LICENSE", SETTINGS, "docs/install.md"))
    look = open_project(found)
    return Case(
        {"path": found["path"], "branch": branch, "file": file},
        {"url": f"/{found['path']}/-/blob/{branch}/{file}"},
        [*look, button("Switch branch"), link(branch), *open_file(file), done()],
        [*look, *open_file(file), done()],
    )


@BOOK.template("Who wrote the snippet “{title}”?", count=2)
def snippet_author(dice: Dice) -> Case:
    """Find a snippet, read."""
    found = dice.pick(
        rows("select s.title, u.name from snippets s join users u on u.id = s.author order by s.id")
    )
    other = next(name for name in ("Maya Chen", "Leo Santos") if name != found["name"])
    look = [link("Snippets"), fill("Filter snippets", found["title"]), button("Filter"), link(found["title"])]
    return Case(
        {"title": found["title"]},
        {"answer": found["name"]},
        [*look, answer(found["name"])],
        [*look, answer(other)],
    )
