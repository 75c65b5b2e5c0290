"""BrowserGym: its observation as AgentLab's agent for GPT-4o shows it, and its environment in a plain loop.

Its browser's path and flags are handed to all browsers that it starts, of which one shows the chat."""

import json
import os
import re
import time
import urllib.request

import gymnasium
from browsergym.core import observation
from browsergym.utils.obs import flatten_axtree_to_str
from playwright.sync_api import BrowserType

from benchmarks.contenders.answering import KNOW, NUDGE, SHARE, TOLD, serve

FLAGS = ["--no-sandbox", "--disable-background-networking"]
TRIES = 5
"""It gives up an action after half a second, which a busy machine may need; an agent would say it again."""
_launch = BrowserType.launch


def launch(self, **options):
    args = [*(options.pop("args", None) or []), *FLAGS]
    return _launch(self, executable_path=os.environ["CHROMIUM"], args=args, **options)


BrowserType.launch = launch


def environment(url, delay):
    """An open-ended task at an address."""
    made = gymnasium.make(
        "browsergym/openended",
        disable_env_checker=True,
        task_kwargs={"start_url": url, "goal": "find the distance"},
        slow_mo=0,
        pre_observation_delay=delay,
    )
    return made.unwrapped


def flat(axtree, properties):
    return flatten_axtree_to_str(axtree, properties, with_visible=True, with_clickable=True)


class Gym:
    """One environment at a time for reading, one for each task."""

    def __init__(self):
        self.env = None

    def open(self, url):
        if self.env is None:
            self.env = environment(url, 0)
            self.env.reset()
        else:
            self.env.page.goto(url)

    def nudge(self):
        self.env.page.evaluate(NUDGE)

    def read(self):
        page = self.env.page
        began = time.perf_counter()
        observation._pre_extract(page)
        dom = observation.extract_dom_snapshot(page)
        axtree = observation.extract_merged_axtree(page)
        observation.extract_focused_element_bid(page)
        properties = observation.extract_dom_extra_properties(dom, scale_factor=1.0)
        observation._post_extract(page)
        text = flat(axtree, properties)
        return {"ms": (time.perf_counter() - began) * 1000, "text": text}

    def share(self, text):
        page = self.env.page
        page.evaluate(KNOW)
        bids = re.findall(r"^\s*\[(\w+)\] ", text, re.MULTILINE)
        mark = f'bids => bids.forEach(bid => {{ const e = document.querySelector(`[bid="${{bid}}"]`); if (e) ({TOLD})(e); }})'
        page.evaluate(mark, bids)
        return page.evaluate(SHARE)

    def task(self, url, steps, endpoint, delay=0.5):
        env = environment(url, delay)
        seen, _ = env.reset()
        while True:
            text = flat(seen["axtree_object"], seen["extra_element_properties"])
            action = said(endpoint, text)
            if action.startswith("answer:"):
                env.close()
                return {"answer": action.removeprefix("answer:")}
            for _ in range(TRIES):
                seen, *_ = env.step(action)
                error = seen["last_action_error"]
                if not error or "click action done" in error:  # it only waited half a second for what follows
                    break
            else:
                raise SystemExit(error)


def said(endpoint, text):
    """What the model says to a page."""
    body = {"model": "scripted", "messages": [{"role": "user", "content": text}]}
    request = urllib.request.Request(
        f"{endpoint}/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["choices"][0]["message"]["content"]


gym = Gym()
serve({name: getattr(gym, name) for name in ("open", "nudge", "read", "share", "task")})
