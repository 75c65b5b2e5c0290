"""A local model file: what is said when it can't be served, and a real one where there is one."""

import importlib.util
import os
from pathlib import Path

import pytest

from tests.test_llm_client import HISTORY, TOOLS, VERDICT
from webagent.actions import Action, parse_text
from webagent.errors import ModelFault, UsageError
from webagent.llm import ModelOptions, OpenAIModel

HAS_EXTRA = importlib.util.find_spec("xllamacpp") is not None
MODEL_FILE = os.environ.get("WEBAGENT_TEST_GGUF", "")


async def test_a_missing_model_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "none.gguf"
    with pytest.raises(UsageError, match=r"no model file .*none\.gguf"):
        await OpenAIModel.open(ModelOptions(model=str(path)))


async def test_a_file_that_is_no_model_is_named(tmp_path: Path) -> None:
    path = tmp_path / "page.gguf"
    path.write_text("<html>")
    with pytest.raises(UsageError, match=r"page\.gguf' is no GGUF file"):
        await OpenAIModel.open(ModelOptions(model=str(path)))


@pytest.mark.skipif(HAS_EXTRA, reason="the extra `local` is installed")
async def test_without_the_extra_the_way_to_install_it_is_told(tmp_path: Path) -> None:
    path = tmp_path / "model.GGUF"
    path.write_bytes(b"GGUF")
    with pytest.raises(ModelFault, match=r"pip install 'webagent\[local\]'"):
        await OpenAIModel.open(ModelOptions(model=str(path)))


@pytest.mark.skipif(not HAS_EXTRA, reason="needs the extra `local`")
async def test_a_broken_model_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "half.gguf"
    path.write_bytes(b"GGUF\x03\x00\x00\x00")
    with pytest.raises(ModelFault, match=r"half\.gguf' can't be loaded"):
        await OpenAIModel.open(ModelOptions(model=str(path)))


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.skipif(not (HAS_EXTRA and MODEL_FILE), reason="needs the extra `local` and WEBAGENT_TEST_GGUF")
async def test_a_real_model_acts_and_judges_from_its_file(capfd: pytest.CaptureFixture[str]) -> None:
    model = await OpenAIModel.open(ModelOptions(model=MODEL_FILE, request_timeout=600.0))
    try:
        assert model.name == Path(MODEL_FILE).name
        first = await model.act(HISTORY[:2], TOOLS)
        second = await model.act(HISTORY, TOOLS)
        assert isinstance(parse_text(first.text), Action)
        assert isinstance(parse_text(second.text), Action)
        assert model.usage.cached_tokens > 0
        assert model.usage.cost_usd == 0.0
        assert await model.ask("verdict", [{"role": "user", "content": "Is 2 + 2 = 4?"}], VERDICT)
    finally:
        await model.close()
    assert capfd.readouterr().out == ""
