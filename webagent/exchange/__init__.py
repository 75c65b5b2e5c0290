"""Workflows and runs from elsewhere, and workflows for elsewhere: JSON Lines without loss, the text of
SPEC section 4, AWM's text, BrowserGym's logs, Agent Skills, Playwright scripts and tests."""

from webagent.exchange.browsergym import is_imported
from webagent.exchange.exporting import export_awm, export_jsonl, export_text, with_callees
from webagent.exchange.importing import FORMS, Place, import_path
from webagent.exchange.reports import Imported, Report
from webagent.exchange.scripts import SCRIPT_FORMS, Script, scripts, write_scripts
from webagent.exchange.skill import write_skills
from webagent.exchange.text import write_workflow

__all__ = [
    "FORMS",
    "SCRIPT_FORMS",
    "Imported",
    "Place",
    "Report",
    "Script",
    "export_awm",
    "export_jsonl",
    "export_text",
    "import_path",
    "is_imported",
    "scripts",
    "with_callees",
    "write_scripts",
    "write_skills",
    "write_workflow",
]
