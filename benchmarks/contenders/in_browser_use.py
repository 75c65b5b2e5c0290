"""browser-use: its DOM state as its agent shows it, and its agent as it is by default, without its judge."""

import asyncio
import os
import re
import time

os.environ["ANONYMIZED_TELEMETRY"] = "false"
os.environ["BROWSER_USE_LOGGING_LEVEL"] = "result"

from browser_use import Agent, BrowserProfile, BrowserSession
from browser_use.dom.service import DomService
from browser_use.llm import ChatOpenAI

from benchmarks.contenders.answering import KNOW, NUDGE, SHARE, TOLD, serve_async

MOST = 40_000
"""Characters of the DOM state in a prompt of its agent."""


def session():
    profile = BrowserProfile(
        executable_path=os.environ["CHROMIUM"],
        headless=True,
        chromium_sandbox=False,
        enable_default_extensions=False,
        viewport={"width": 1280, "height": 720},
    )
    return BrowserSession(browser_profile=profile)


class BrowserUse:
    """One session for reading, one for each task."""

    def __init__(self):
        self.session = None
        self.state = None

    async def open(self, url):
        if self.session is None:
            self.session = session()
            await self.session.start()
        await self.session.navigate_to(url)
        await self.evaluate(
            "() => new Promise(r => document.readyState === 'complete' ? r() : addEventListener('load', r))"
        )

    async def evaluate(self, function):
        cdp = await self.session.get_or_create_cdp_session()
        told = await cdp.cdp_client.send.Runtime.evaluate(
            params={"expression": f"({function})()", "returnByValue": True, "awaitPromise": True},
            session_id=cdp.session_id,
        )
        return told["result"].get("value")

    async def nudge(self):
        await self.evaluate(NUDGE)

    async def read(self):
        began = time.perf_counter()
        self.state, *_ = await DomService(self.session).get_serialized_dom_tree()
        text = self.state.llm_representation()[:MOST]
        return {"ms": (time.perf_counter() - began) * 1000, "text": text}

    async def share(self, text):
        await self.evaluate(KNOW)
        cdp = await self.session.get_or_create_cdp_session()
        for index in re.findall(r"\[(\d+)\]<", text):
            node = self.state.selector_map.get(int(index))
            if node is None:
                continue
            found = await cdp.cdp_client.send.DOM.resolveNode(
                params={"backendNodeId": node.backend_node_id}, session_id=cdp.session_id
            )
            await cdp.cdp_client.send.Runtime.callFunctionOn(
                params={
                    "objectId": found["object"]["objectId"],
                    "functionDeclaration": f"function() {{ ({TOLD})(this); }}",
                },
                session_id=cdp.session_id,
            )
        return await self.evaluate(SHARE)

    async def task(self, url, steps, endpoint):
        own = session()
        agent = Agent(
            task="find the distance",
            llm=ChatOpenAI(model="gpt-4o", base_url=endpoint, api_key="none"),
            browser_session=own,
            initial_actions=[{"navigate": {"url": url, "new_tab": False}}],
            use_judge=False,
        )
        history = await agent.run(max_steps=len(steps) + 3)
        await own.kill()
        return {"answer": history.final_result()}


browser_use = BrowserUse()
asyncio.run(
    serve_async({name: getattr(browser_use, name) for name in ("open", "nudge", "read", "share", "task")})
)
