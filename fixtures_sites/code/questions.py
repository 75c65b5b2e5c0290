"""What tasks may ask of the site's state."""

from collections.abc import Mapping
from typing import Any

from fixtures_sites.code.roles import ROLES
from fixtures_sites.site import Question
from fixtures_sites.state import Data


def _number(data: Data, asked: Mapping[str, str]) -> int:
    return int(data.value("select id from projects where path = ?", asked.get("path", "")) or 0)


def project(data: Data, asked: Mapping[str, str]) -> Any:
    """The settings of the project at `path`; null where there is none."""
    number = _number(data, asked)
    keys = "name, path, description, topics, visibility, archived, stars, forks, forked_from, default_branch"
    found = data.objects(f"select {keys} from projects where id = ?", number)
    return found[0] if found else None


def members(data: Data, asked: Mapping[str, str]) -> Any:
    """Roles in the project at `path`, by user name, with the day on which each ends."""
    rows = data.rows(
        "select u.username, m.role, m.expires from members m join users u on u.id = m.user where m.project = ? order by u.username",
        _number(data, asked),
    )
    return [{"user": row["username"], "role": ROLES[row["role"]], "expires": row["expires"]} for row in rows]


ISSUE = (
    "select i.id, i.iid, i.title, i.body, i.state, i.due, i.confidential, a.username as author, s.username as assignee,"
    " m.title as milestone from issues i join users a on a.id = i.author left join users s on s.id = i.assignee"
    " left join milestones m on m.id = i.milestone"
)


def issues(data: Data, asked: Mapping[str, str]) -> Any:
    """Issues of the project at `path`: those in this `state`, with this `label`, or made in this session."""
    where = "i.project = ?"
    values: list[Any] = [_number(data, asked)]
    if state := asked.get("state", ""):
        where += " and i.state = ?"
        values.append(state)
    if asked.get("new"):
        where += " and i.created like '2026-06-15 10:00'"
    found = [_issue(data, issue) for issue in data.objects(f"{ISSUE} where {where} order by i.iid", *values)]
    label = asked.get("label", "")
    return [one for one in found if not label or label in one["labels"]]


def issue(data: Data, asked: Mapping[str, str]) -> Any:
    """The issue `iid` of the project at `path`, with labels and comments."""
    found = data.objects(
        f"{ISSUE} where i.project = ? and i.iid = ?", _number(data, asked), asked.get("iid", "")
    )
    return _issue(data, found[0], comments=True) if found else None


def _issue(data: Data, row: dict[str, Any], *, comments: bool = False) -> dict[str, Any]:
    number = row.pop("id")
    labels = data.rows(
        "select l.name from issue_labels il join labels l on l.id = il.label where il.issue = ? order by l.name",
        number,
    )
    said = {"comments": _comments(data, "issue", number)} if comments else {}
    return {**row, "labels": [label["name"] for label in labels], **said}


def _comments(data: Data, kind: str, number: int) -> Any:
    """What was said in this session."""
    return data.objects(
        "select u.username as author, c.body from comments c join users u on u.id = c.author"
        " where c.kind = ? and c.target = ? and c.at = '2026-06-15 10:00' order by c.id",
        kind, number,
    )  # fmt: skip


MERGE = (
    "select i.id, i.iid, i.title, i.body, i.source, i.target, i.state, i.draft, i.squashed, a.username as author,"
    " s.username as assignee, r.username as reviewer, b.username as merged_by from merges i join users a on a.id = i.author"
    " left join users s on s.id = i.assignee left join users r on r.id = i.reviewer left join users b on b.id = i.merged_by"
)


def merge(data: Data, asked: Mapping[str, str]) -> Any:
    """The merge request `iid` of the project at `path`, with approvals and comments."""
    found = data.objects(
        f"{MERGE} where i.project = ? and i.iid = ?", _number(data, asked), asked.get("iid", "")
    )
    if not found:
        return None
    number = found[0].pop("id")
    approved = data.rows(
        "select u.username from approvals a join users u on u.id = a.user where a.merge = ? order by 1",
        number,
    )
    return {
        **found[0], "approved": [row["username"] for row in approved], "comments": _comments(data, "merge", number),
    }  # fmt: skip


def new_merges(data: Data, asked: Mapping[str, str]) -> Any:
    """The merge requests made in this session in the project at `path`."""
    sql = f"{MERGE} where i.project = ? and i.created = '2026-06-15 10:00' order by i.iid"
    return [{key: row[key] for key in row if key != "id"} for row in data.objects(sql, _number(data, asked))]


def repository(data: Data, asked: Mapping[str, str]) -> Any:
    """Branches, tags, releases, labels, milestones of the project at `path`."""
    number = _number(data, asked)

    def names(sql: str) -> list[Any]:
        return [row[0] for row in data.rows(f"{sql} where project = ? order by 1", number)]

    return {
        "branches": names("select name from branches"),
        "tags": names("select name from tags"),
        "labels": names("select name from labels"),
        "releases": data.objects(
            "select tag, title, notes from releases where project = ? order by id", number
        ),
        "milestones": data.objects(
            "select title, due, state from milestones where project = ? order by id", number
        ),
    }


def label(data: Data, asked: Mapping[str, str]) -> Any:
    """The label `name` of the project at `path`."""
    found = data.objects(
        "select name, color, description from labels where project = ? and name = ?",
        _number(data, asked),
        asked.get("name", ""),
    )
    return found[0] if found else None


def file(data: Data, asked: Mapping[str, str]) -> Any:
    """The lines of `file` on `branch` of the project at `path`, and the message of its last commit."""
    row = data.row(
        "select f.content, c.title from files f left join commits c on c.id = f.commit_id where f.project = ? and f.branch = ?"
        " and f.path = ?",
        _number(data, asked), asked.get("branch", "main"), asked.get("file", ""),
    )  # fmt: skip
    return {"lines": row["content"].rstrip("\n").split("\n"), "message": row["title"]} if row else None


def wiki(data: Data, asked: Mapping[str, str]) -> Any:
    """The wiki page `page` of the project at `path`."""
    found = data.objects(
        "select title, content from wiki where project = ? and slug = ?",
        _number(data, asked),
        asked.get("page", ""),
    )
    return found[0] if found else None


def person(data: Data, asked: Mapping[str, str]) -> Any:
    """The profile of `user`, with stars, tokens in use, snippets, open to-dos and notification levels."""
    row = data.row("select * from users where username = ?", asked.get("user", ""))
    if row is None:
        return None
    number = row["id"]
    keys = ("name", "email", "bio", "location", "company", "website", "pronouns", "status")
    of_user = "join projects p on p.id = x.project where x.user = ? order by p.path"
    return {
        **{key: row[key] for key in keys},
        "stars": [one["path"] for one in data.rows(f"select p.path from stars x {of_user}", number)],
        "levels": data.objects(f"select p.path, x.level from levels x {of_user}", number),
        "tokens": data.objects("select name, scopes, expires from tokens where user = ? and revoked = 0 order by id", number),
        "snippets": data.objects("select title, filename, content, visibility from snippets where author = ? order by id", number),
        "todos": data.objects(
            "select p.path, x.kind, coalesce(i.iid, m.iid) as iid from todos x"
            " left join issues i on x.kind = 'issue' and i.id = x.target left join merges m on x.kind = 'merge' and m.id = x.target"
            " join projects p on p.id = x.project where x.user = ? and x.done = 0 order by x.at, x.id", number,
        ),
    }  # fmt: skip


QUESTIONS: Mapping[str, Question] = {
    "project": project,
    "members": members,
    "issues": issues,
    "issue": issue,
    "merge": merge,
    "new-merges": new_merges,
    "repository": repository,
    "label": label,
    "file": file,
    "wiki": wiki,
    "person": person,
}
