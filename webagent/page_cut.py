"""Which lines of a page are shown within a budget, and what says how many are not."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import groupby, pairwise
from operator import itemgetter

from webagent.observation import Box, Line
from webagent.page_tree import PageTree
from webagent.tokens import cost

ROWS = frozenset(["row", "listitem", "article", "option", "treeitem"])
MANY_ROWS = 6
"""So many siblings of one row role make a list, whose far rows go first."""
FIRST_ROWS = 3
ROWS_WITHOUT_BOX = 5
FEW_UNKNOWN = 60
"""Without boxes the page counts as in view up to this many interactive elements."""
LINE_STEP = 20
"""Pixels from line to line where there are no boxes."""
TEXT_LIMITS = (2000, 400, 160, 60, 24)
"""Longest name or text (characters), tried in turn."""
SHORT_TEXT = 160
"""Texts are not cut below this for anything but what is never dropped."""
LABEL = 80
"""Characters that stay with a nameless control or heading as what it is called."""
MISSES = 8
"""So many lines that don't fit are passed over for smaller ones of the same rank."""

MUST, IN_VIEW, AWAY, FAR_ROW = range(4)
"""Ranks, in the order in which lines are shown."""


def fitted(tree: PageTree, room: int) -> list[str]:
    """The page's lines for at most `room` hundredths of a token."""
    units = list(_units(tree))
    for limit, shorter in pairwise((*TEXT_LIMITS, -1)):
        if tree.longest <= shorter:
            continue  # nothing is cut by this limit or the next one
        fill = _Fill(tree, limit, room)
        missed = fill.take(units)
        if missed >= FAR_ROW or (limit <= SHORT_TEXT and missed > MUST):
            break
    return fill.lines()


def _units(tree: PageTree) -> Iterator[tuple[int, list[int]]]:
    """Rank and nodes of what is shown or dropped together, most important first."""
    ranked = sorted(_Ranking(tree).nodes())
    for (rank, _, _), group in groupby(ranked, key=itemgetter(0, 1, 2)):
        yield rank, [item[3] for item in group]


def more(count: int, depth: int = 0) -> str:
    """The line that says how many lines are missing."""
    return f"{'  ' * depth}- … {count} more {'line' if count == 1 else 'lines'} (find, scroll)"


class _Places:
    """For each line how far from the viewport it is (pixels, 0 in view) and its middle's height."""

    def __init__(self, tree: PageTree) -> None:
        self.lines = tree.lines
        self.viewport = (0.0, 0.0, float(tree.observation.viewport[0]), float(tree.observation.viewport[1]))
        self.distance: list[float] = []
        self.middle: list[float] = []
        if any(line.box for line in self.lines):
            self._by_box()
        else:
            self._by_order()

    def _by_order(self) -> None:
        seen = 0
        for line in self.lines:
            seen += line.interactive
            self.distance.append(LINE_STEP * max(0, seen - FEW_UNKNOWN))
            self.middle.append(line.index * LINE_STEP)

    def _by_box(self) -> None:
        frames: dict[int, Box] = {-1: self.viewport}
        before: dict[int, tuple[float, float]] = {}  # parent -> place of the child placed last
        tops: dict[int, float] = {}
        within: list[int] = []
        for line in self.lines:
            above = line.parent
            frame = -1 if above < 0 else above if above in frames else within[above]
            within.append(frame)
            if line.box is None or not (line.box[2] or line.box[3]):
                place = before.get(above) or (tops.get(above, 0.0), self.middle[above] if above >= 0 else 0.0)
            else:
                x, y, width, height = line.box
                if frame >= 0:
                    x, y = x + frames[frame][0], y + frames[frame][1]
                distance = gap((x, y, width, height), self.viewport)
                if frame >= 0:
                    distance = max(distance, gap((x, y, width, height), frames[frame]))
                tops[line.index] = max(distance, gap((x, y, width, 1), self.viewport))
                place = (distance, y + height / 2)
                before[above] = place
                if line.role == "iframe":
                    frames[line.index] = (x, y, width, height)
            self.distance.append(place[0])
            self.middle.append(place[1])


def gap(box: Box, other: Box) -> float:
    """Pixels between two boxes, across and down together; 0 where they touch."""
    across = max(0.0, other[0] - box[0] - box[2], box[0] - other[0] - other[2])
    return across + max(0.0, other[1] - box[1] - box[3], box[1] - other[1] - other[3])


class _Ranking:
    """How much each node matters."""

    def __init__(self, tree: PageTree) -> None:
        self.tree = tree
        self.places = _Places(tree)
        self.rows = Counter((tree.parent[line.index], line.role) for line in tree.lines if line.role in ROWS)
        self.seen: Counter[tuple[int, str]] = Counter()
        self.far = tree.observation.viewport[1]
        self.focus = self._focus()
        self.rows_in_use = self._rows_in_use()

    def _focus(self) -> float | None:
        for line in self.tree.lines:
            if "active" in line.states and line.index not in self.tree.kids:
                return self.places.middle[line.index]
        return None

    def _rows_in_use(self) -> set[int]:
        """Rows with a control in view: "Select" means nothing without the words of its row."""
        found = set()
        for line in self.tree.lines:
            if line.interactive and self.places.distance[line.index] == 0 and line.role not in ROWS:
                for above in self.tree.observation.ancestors(line):
                    if above.role in ROWS:
                        found.add(above.index)
                        break
        return found

    def nodes(self) -> Iterator[tuple[int, float, int, int]]:
        """(rank, distance, unit, index) of each node that is more than the frame of others."""
        row: dict[int, tuple[int, float, int]] = {}  # what the rows off view give to all they hold
        signals: set[int] = set()
        owners: dict[int, list[float]] = {}  # nameless control -> rank, distance, unit, room for a label
        for line in self.tree.lines:
            index, above = line.index, line.parent
            if line.role in ("alert", "alertdialog", "status") or above in signals:
                signals.add(index)
            if above in row:
                row[index] = row[above]
            elif line.role in ROWS and (given := self._row(line)):
                row[index] = given
            if above in owners:
                owners[index] = owners[above]
            if index in self.rows_in_use and index not in row:
                owners[index] = [MUST, self._must_distance(line), index, LABEL]
            if self.tree.hidden[index]:
                continue
            found = self._rank(line, index in signals, row.get(index))
            found = self._labelled(line, found, owners)
            if found is not None:
                yield (*found, index)

    def _row(self, line: Line) -> tuple[int, float, int] | None:
        """Rank, distance and unit of a row off view in a list of many."""
        key = (self.tree.parent[line.index], line.role)
        if self.rows[key] < MANY_ROWS:
            return None
        number = self.seen[key]
        self.seen[key] += 1
        distance = self.places.distance[line.index]
        if number >= ROWS_WITHOUT_BOX and (line.box is None or not (line.box[2] or line.box[3])):
            return (FAR_ROW, distance + number, line.index)
        if distance == 0:
            return None
        if number < FIRST_ROWS:
            return (AWAY, min(distance, self.far / 2), line.index)
        return (FAR_ROW if distance > self.far else AWAY, distance, line.index)

    def _rank(
        self, line: Line, signal: bool, row: tuple[int, float, int] | None
    ) -> tuple[int, float, int] | None:
        distance = self.places.distance[line.index]
        if self._is_must(line, signal, row is not None, distance):
            urgent = signal or line.role == "dialog" or "active" in line.states
            if urgent:
                return (MUST, -1.0, line.index)
            return (MUST, self._must_distance(line), line.index)
        if line.index in self.tree.kids and not line.interactive:
            return None
        return row or (AWAY if distance else IN_VIEW, distance, line.index)

    def _must_distance(self, line: Line) -> float:
        if self.focus is not None:
            return abs(self.places.middle[line.index] - self.focus)
        return self.places.distance[line.index]

    def _is_must(self, line: Line, signal: bool, in_row: bool, distance: float) -> bool:
        if signal or line.role == "dialog" or (line.role == "heading" and not in_row):
            return True
        if line.interactive and distance == 0:
            return True
        return bool(line.states) and any(
            state == "active"
            or state.startswith("invalid")
            or (state == "selected" and line.role == "option")
            for state in line.states
        )

    def _labelled(
        self, line: Line, found: tuple[int, float, int] | None, owners: dict[int, list[float]]
    ) -> tuple[int, float, int] | None:
        """The rank; that of a nameless control or heading above where the line's words name it."""
        owner = owners.get(line.index)
        names = found is not None and (line.interactive or line.role == "heading")
        if owner is None and not names:
            return found
        words = len(line.words) + len(self.tree.text.get(line.index, ""))
        if owner is not None and words and owner[3] > 0:
            owner[3] -= words
            if found is None or owner[:2] < list(found[:2]):
                return (int(owner[0]), owner[1], int(owner[2]))
        if found is not None and names and not words:
            owners[line.index] = [*found, LABEL]
        return found


class _Fill:
    """Lines shown so far, and what they cost with the lines that say how many are missing."""

    def __init__(self, tree: PageTree, limit: int, room: int) -> None:
        self.tree = tree
        self.limit = limit
        self.room = room
        self.depth = {-1: -1}
        self.blocks: dict[int, list[str]] = {}
        self.costs: dict[int, int] = {}
        self.spent = _more_cost(0) if tree.kids[-1] else 0

    def take(self, units: list[tuple[int, list[int]]]) -> int:
        """Shows what fits; the rank of the first unit that doesn't, or a high number."""
        missed = len((MUST, IN_VIEW, AWAY, FAR_ROW))
        misses = 0
        for rank, nodes in units:
            if rank > missed or misses > MISSES:
                break
            if not self._add(nodes):
                missed = rank
                misses += 1
        self._close_small_gaps()
        return missed

    def _close_small_gaps(self) -> None:
        """Shows single lines that cost no more than the line that says they are missing."""
        for parent in list(self.depth):
            kids = self.tree.kids.get(parent, ())
            gone = [-2, *(at for at, kid in enumerate(kids) if kid not in self.depth), len(kids) + 1]
            for left, at, right in zip(gone, gone[1:], gone[2:], strict=False):
                if left + 1 == at or right == at + 1 or kids[at] in self.tree.kids:
                    continue
                before = self.spent
                self._show(kids[at])
                if self.spent > before:
                    self._hide(kids[at])

    def _add(self, nodes: list[int]) -> bool:
        added: list[int] = []
        for node in nodes:
            path = []
            while node not in self.depth:
                path.append(node)
                node = self.tree.parent[node]
            for new in reversed(path):
                self._show(new)
                added.append(new)
        if self.spent <= self.room:
            return True
        for node in reversed(added):
            self._hide(node)
        return False

    def _show(self, node: int) -> None:
        depth = self.depth[self.tree.parent[node]] + 1
        self.depth[node] = depth
        self.blocks[node] = block = self.tree.block(node, depth, self.limit)
        self.costs[node] = sum(map(cost, block)) + _LINE_END * len(block)
        self.spent += self._change(node)

    def _hide(self, node: int) -> None:
        self.spent -= self._change(node)
        del self.depth[node], self.blocks[node], self.costs[node]

    def _change(self, node: int) -> int:
        """What showing the node costs, its siblings being as they are."""
        depth = self.depth[node]
        spent = self.costs[node]
        if node in self.tree.kids:
            spent += _more_cost(depth + 1)
        siblings, at = self.tree.kids[self.tree.parent[node]], self.tree.place[node]
        left = at > 0 and siblings[at - 1] not in self.depth
        right = at + 1 < len(siblings) and siblings[at + 1] not in self.depth
        return spent + (left + right - 1) * _more_cost(depth)

    def lines(self) -> list[str]:
        """The text, top to bottom."""
        shown: list[str] = []
        stack = self._below(-1)
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                shown.append(item)
            else:
                shown += self.blocks[item]
                stack += self._below(item)
        return shown

    def _below(self, parent: int) -> list[int | str]:
        """The shown kids of a node and a line for each gap between them, last first."""
        items: list[int | str] = []
        missing = 0
        ends = self.tree.observation.ends
        depth = self.depth[parent] + 1
        for kid in self.tree.kids.get(parent, ()):
            if kid not in self.depth:
                missing += self.tree.nodes_in(kid, ends[kid])
                continue
            if missing:
                items.append(more(missing, depth))
                missing = 0
            items.append(kid)
        if missing:
            items.append(more(missing, depth))
        return items[::-1]


@cache
def _more_cost(depth: int) -> int:
    return cost(more(99_999, depth)) + _LINE_END


_LINE_END = cost("\n")
