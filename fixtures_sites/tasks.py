"""Tasks made from templates over a site's seeded data, each with a solution and a near miss."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

from fixtures_sites import SITES
from fixtures_sites.seeded import Dice
from fixtures_sites.steps import Step

SEED = 20260615
TRIES = 60
SPLITS = ("stream", "cross-template", "cross-site", "hard")


@dataclass(frozen=True)
class Case:
    """What a template makes of one throw of the dice: values for the wording, the success test, the
    steps that solve the task, and steps that end nearby and fail it."""

    values: Mapping[str, str]
    expect: Mapping[str, Any]
    solution: Sequence[Step]
    near_miss: Sequence[Step]


@dataclass(frozen=True)
class ArenaTask:
    """A task with its two scripts. `sites` are all that it spans, the first is where it starts."""

    id: str
    goal: str
    sites: tuple[str, ...]
    template: str
    expect: Mapping[str, Any]
    solution: Sequence[Step]
    near_miss: Sequence[Step]
    start_path: str = ""
    hard: bool = False

    @property
    def site(self) -> str:
        return self.sites[0]

    @property
    def infeasible(self) -> bool:
        """Whether the right end is to say that it can't be done."""
        return bool(self.expect.get("infeasible"))

    def as_object(self) -> dict[str, Any]:
        """The task alone, as task files have it."""
        task = {"id": self.id, "goal": self.goal, "site": self.site, "template": self.template}
        more = {"start_path": self.start_path, "sites": list(self.sites) if len(self.sites) > 1 else None}
        return {**task, **{key: value for key, value in more.items() if value}, "expect": dict(self.expect)}


Make = Callable[[Dice], Case]


@dataclass(frozen=True)
class Template:
    """Tasks of one kind: wordings with {values}, taken in turn, and what makes a case."""

    id: str
    wordings: tuple[str, ...]
    make: Make
    count: int
    sites: tuple[str, ...]
    start_path: str = ""
    hard: bool = False

    def tasks(self) -> list[ArenaTask]:
        """Its tasks, no two with the same goal. Raises ValueError where the data has too few."""
        dice = Dice(SEED + sum(ord(char) * place for place, char in enumerate(self.id, 1)))
        made: dict[str, ArenaTask] = {}
        for _ in range(TRIES * self.count):
            if len(made) == self.count:
                return list(made.values())
            case = self.make(dice)
            goal = self.wordings[len(made) % len(self.wordings)].format(**case.values)
            if goal not in made:
                made[goal] = self._task(case, goal, len(made) + 1)
        if len(made) < self.count:
            raise ValueError(f"template {self.id}: {len(made)} different tasks, {self.count} are wanted")
        return list(made.values())

    def _task(self, case: Case, goal: str, number: int) -> ArenaTask:
        return ArenaTask(
            id=f"{self.id}.{number}",
            goal=goal,
            sites=self.sites,
            template=self.id,
            expect=case.expect,
            solution=case.solution,
            near_miss=case.near_miss,
            start_path=self.start_path,
            hard=self.hard,
        )


@dataclass
class Book:
    """The templates of a site, in order. `nuisances` are controls (role, name) that get in the way and
    are clicked away whenever they show."""

    site: str
    nuisances: Sequence[tuple[str, str]] = ()
    templates: list[Template] = field(default_factory=list)

    def template(
        self,
        *wordings: str,
        count: int = 4,
        also: Sequence[str] = (),
        start_path: str = "",
        hard: bool = False,
    ) -> Callable[[Make], Make]:
        """Adds a function as a template; its id is the site's name and the function's. `also` are
        further sites that the task spans, `hard` puts it into that split."""

        def add(make: Make) -> Make:
            name = make.__name__.strip("_").replace("_", "-")
            self.templates.append(
                Template(f"{self.site}.{name}", wordings, make, count, (self.site, *also), start_path, hard)
            )
            return make

        return add

    def tasks(self) -> list[ArenaTask]:
        """All tasks of the site."""
        return [task for template in self.templates for task in template.tasks()]


@cache
def book(site: str) -> Book:
    """The templates of a site; those of `maps`, say, are `BOOK` in fixtures_sites/maps/tasks.py."""
    found = import_module(f"fixtures_sites.{site}.tasks").BOOK
    assert isinstance(found, Book)
    return found


@cache
def tasks_of(site: str) -> tuple[ArenaTask, ...]:
    """All tasks of a site."""
    return tuple(book(site).tasks())


def arena_tasks(sites: Sequence[str] = SITES) -> list[ArenaTask]:
    """All tasks of these sites, site by site."""
    return [task for site in sites for task in tasks_of(site)]


def split(name: str, sites: Sequence[str] = SITES) -> list[ArenaTask]:
    """The tasks of a split: `stream` all in an order for online learning, in which sites and templates
    mix; `cross-template` the first of each template; `cross-site` those that span sites; `hard`. Raises
    ValueError for another name."""
    tasks = arena_tasks(sites)
    if name == "stream":
        return Dice(SEED).some(tasks, len(tasks))
    if name == "cross-template":
        return list({task.template: task for task in reversed(tasks)}.values())[::-1]
    if name == "cross-site":
        return [task for task in tasks if len(task.sites) > 1]
    if name == "hard":
        return [task for task in tasks if task.hard]
    raise ValueError(f"no split {name!r}; there are {', '.join(SPLITS)}")
