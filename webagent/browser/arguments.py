"""The command line and the environment that Chromium is started with."""

import os
import sys
from collections.abc import Mapping

from webagent.masking import is_secret_name

QUIET_ARGS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
)
PLAYWRIGHT_DISABLES = (
    "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding",
    "ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect", "TcpPortRandomizationWin",
    "OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled", "PreconnectToSearch",
    "msForceBrowserSignIn", "msEdgeUpdateLaunchServicesPreferredVersion",
)  # fmt: skip
"""What Playwright turns off: of two `--disable-features` Chromium heeds the last, so ours must hold these
too (a test compares them with the command line of a browser that Playwright started)."""
WINDOW_PARTS = ("WebUIOmniboxPopup", "WebUIOmniboxAimPopup")
"""Parts of the browser's own window that are pages themselves. Headless Chromium 156 loads them for each
new context: 0.6 s of CPU a context with them, 0.34 s without."""
SPARE = ("SpareRendererForSitePerProcess",)
"""The process that Chromium starts ahead for a tab that may be opened: a seventh of all CPU of a short run,
while a new tab comes a tenth of a second sooner."""
LISTED_ARGS = (
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
"""WebRTC sends no datagrams past the gateway, and no host is looked up past it."""
LONGEST_TMPDIR = 60
"""Characters of TMPDIR: with `/org.chromium.Chromium.XXXXXX/SingletonSocket` it must stay under 108."""


def launch_arguments(*, spare: bool = True, listed: bool = False) -> list[str]:
    """Chromium's command line beside what Playwright gives; without a `spare` process for new tabs, and with
    `listed` for a run that reaches listed hosts alone."""
    root = sys.platform.startswith("linux") and os.geteuid() == 0
    features = f"--disable-features={','.join(PLAYWRIGHT_DISABLES + WINDOW_PARTS + (() if spare else SPARE))}"
    return [*QUIET_ARGS, features, *(LISTED_ARGS if listed else ()), *(["--no-sandbox"] if root else [])]


def browser_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment for the browser process: without keys, tokens and secrets (OpenTelemetry's headers can
    hold one), and without a TMPDIR too long for the name of Chromium's socket, at which it dies."""
    ours = [name for name in environment if not is_secret_name(name) and not name.startswith("OTEL_")]
    kept = {name: environment[name] for name in ours}
    if len(os.fsencode(kept.get("TMPDIR", ""))) > LONGEST_TMPDIR:
        del kept["TMPDIR"]
    return kept
