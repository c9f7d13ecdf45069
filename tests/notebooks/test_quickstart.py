"""The notebook runs from its first to its last cell against a real server, and prints what it promises."""

import os

import nbformat
import pytest
from nbclient import NotebookClient
from running import ROOT, Running

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.name)
def test_the_notebook_runs(samples_server: Running, path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PAUSEPOINT_URL", samples_server.url)
    monkeypatch.setenv("IPYTHONDIR", str(samples_server.data.parent / "ipython"))
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook, timeout=100, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}
    )
    client.execute(env={**os.environ})
    outputs = [o for cell in notebook.cells for o in cell.get("outputs", [])]
    assert [o for o in outputs if o["output_type"] == "error"] == []
    printed = "".join(o.get("text", "") for o in outputs)
    assert "[Notatka: " in printed


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.name)
def test_the_notebook_is_kept_without_outputs(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert [c for c in notebook.cells if c.get("outputs") or c.get("execution_count")] == []
