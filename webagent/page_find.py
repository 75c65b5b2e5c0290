"""What the tool `find` shows: every line of the whole page that holds a text, with its row."""

from bisect import bisect_right
from itertools import accumulate

from webagent.observation import INTERACTIVE
from webagent.page_cut import ROWS
from webagent.page_tree import PageTree, shorten
from webagent.snapshot_text import quote_key
from webagent.tokens import cost

ROW_NODES = 60
"""A row of more nodes than this is shown as any other part of a page."""
SIBLINGS = 4
"""As many siblings after a match are shown where it stands in no row."""
CONTEXT_NODES = 40
TEXT_LIMIT = 400
"""Longest name or text here; less where the room is small."""
INLINE = frozenset(["strong", "emphasis", "mark", "code", "superscript", "subscript", "time", "text"])


def find_lines(tree: PageTree, wanted: str, room: int) -> list[str]:
    """A line that counts the matches, and below it each with its row or what follows it, for at
    most `room` hundredths of a token; the first match is shown in any case."""
    found = _matches(tree, wanted)
    label = quote_key(f"find {_quoted(wanted)}")
    if not found:
        return [f"- {label}: no match"]
    lines = [f"- {label}: {len(found)} {'match' if len(found) == 1 else 'matches'}"]
    room -= cost(lines[0])
    limit = max(60, min(TEXT_LIMIT, room // 1000))
    shown: set[int] = set()
    for number, match in enumerate(found):
        if match in shown:
            continue
        block, nodes = _context(tree, match, limit, wanted)
        room -= sum(cost(line) + cost("\n") for line in block)
        if room < 0 and number:
            rest = sum(other not in shown for other in found[number:])
            return [*lines, f"  - … {rest} more {'match' if rest == 1 else 'matches'}"]
        lines += block
        shown.update(nodes)
    return lines


def _quoted(text: str) -> str:
    text = " ".join(shorten(text, 100).split())
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())


def _matches(tree: PageTree, wanted: str) -> list[int]:
    """Nodes whose words hold the text; where none does, those at which it begins when the page is
    read on from line to line, or whose URL or placeholder holds it."""
    needle = _fold(wanted)
    if not needle:
        return []
    spoken = [(line.index, _fold(line.words)) for line in tree.lines if line.role[0] != "/"]
    found = [index for index, words in spoken if needle in words]
    if not found:
        found = _across([item for item in spoken if item[1]], needle)
    if not found:
        found = [line.parent for line in tree.lines if line.role[0] == "/" and needle in _fold(line.text)]
    nodes = (tree.parent[index] if tree.hidden[index] else index for index in found if index >= 0)
    return [node for node in dict.fromkeys(nodes) if node >= 0]


def _across(spoken: list[tuple[int, str]], needle: str) -> list[int]:
    text = " ".join(words for _, words in spoken)
    starts = [0, *accumulate(len(words) + 1 for _, words in spoken)]
    found = []
    at = text.find(needle)
    while at >= 0:
        found.append(spoken[bisect_right(starts, at) - 1][0])
        at = text.find(needle, at + len(needle))
    return found


def _context(tree: PageTree, match: int, limit: int, wanted: str) -> tuple[list[str], list[int]]:
    """The text lines for one match, and the nodes in them that stand there in full."""
    ends = tree.observation.ends
    node = match
    while node >= 0:
        if tree.lines[node].role in ROWS and tree.nodes_in(node, ends[node]) <= ROW_NODES:
            return _shown(tree, [node], match, 1, limit, wanted)
        node = tree.parent[node]
    node = match
    while tree.parent[node] >= 0 and _is_part(tree, node):
        node = tree.parent[node]
    parent = tree.parent[node]
    siblings = tree.kids[parent][tree.place[node] : tree.place[node] + 1 + SIBLINGS]
    if parent < 0:
        return _shown(tree, siblings, match, 1, limit, wanted)
    head = tree.block(parent, 1, limit, urls=True)
    block, nodes = _shown(tree, siblings, match, 2, limit, wanted)
    return head + block, nodes


def _is_part(tree: PageTree, node: int) -> bool:
    """Whether a node says little without what is around it: a piece of running text, the inside of
    a control or heading, an only child."""
    parent = tree.lines[tree.parent[node]]
    return (
        tree.lines[node].role in INLINE
        or len(tree.kids[parent.index]) == 1
        or parent.role in INTERACTIVE
        or parent.role == "heading"
    )


def _shown(
    tree: PageTree, roots: list[int], match: int, depth: int, limit: int, wanted: str
) -> tuple[list[str], list[int]]:
    """The subtrees of some siblings, cut behind the match once they are long."""
    lines: list[str] = []
    nodes: list[int] = []
    depths: dict[int, int] = {}
    end = tree.observation.ends[roots[-1]]
    for index in range(roots[0], end):
        if tree.hidden[index]:
            continue
        depths[index] = depths.get(tree.parent[index], depth - 1) + 1
        if len(nodes) >= CONTEXT_NODES and index > match:
            left = tree.nodes_in(index, end)
            lines.append(f"{'  ' * depth}- … {left} more {'line' if left == 1 else 'lines'}")
            break
        nodes.append(index)
        lines += tree.block(index, depths[index], limit, urls=True, around=_fold(wanted))
    return lines, nodes
