"""The package as a whole: what importing it costs, what it exports, what its errors promise, how long its files are."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import placecell
from placecell import errors

SOURCE = Path(placecell.__file__).parent
HEAVY = {
    "numpy",
    "scipy",
    "numba",
    "cv2",
    "av",
    "pycolmap",
    "PIL",
    "pydantic",
    "typer",
    "rich",
    "torch",
    "transformers",
}


def _loaded_after(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*{{m.split('.')[0] for m in sys.modules}})"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(result.stdout.split())


def test_importing_placecell_loads_nothing_heavy():
    assert not _loaded_after("import placecell") & HEAVY


def test_the_command_line_loads_no_numbers_before_a_command_needs_them():
    assert not _loaded_after("import placecell.apps.cli") & {
        "numpy",
        "scipy",
        "numba",
        "cv2",
        "av",
        "pycolmap",
        "torch",
    }


def test_every_exported_name_exists():
    for name in placecell.__all__:
        assert getattr(placecell, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = placecell.nonsense


def test_every_deliberate_error_has_an_exit_code_of_its_documented_kind():
    codes = {cls.__name__: cls.exit_code for cls in errors.PlacecellError.__subclasses__()}
    assert codes == {"UserError": 2, "BackendUnavailable": 3, "BudgetExhausted": 4, "ProgramError": 1}


def test_an_error_reads_as_one_line_with_its_next_step():
    assert str(errors.UserError("room.mp4: no pictures", hint="give a video")) == "room.mp4: no pictures; give a video"


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda p: str(p.relative_to(SOURCE)))
def test_a_file_is_short_and_never_runs_text_or_unpickles(path):
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 400
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in {"eval", "exec", "compile", "__import__"}, f"line {node.lineno}"
        if isinstance(node, ast.Import):
            assert not {a.name.split(".")[0] for a in node.names} & {"pickle", "shelve", "marshal", "dill", "joblib"}
