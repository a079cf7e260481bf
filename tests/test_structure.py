"""The shape of the code: no import circle, layers of udfs, and the size of files and functions."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.support.imports import modules, our_imports
from udfs.warehouse.places import REPO

FOLDERS = ("dagster_defs", "macros", "models", "sample_city", "seeds", "tests", "udfs")
MOST_LINES_OF_A_FILE = 300
MOST_LINES_OF_A_FUNCTION = 60
MOST_LINES_OF_A_CLASS = 200

# What each part of udfs may import of the other parts.
LAYERS = {
    "contracts": "",
    "search": "",
    "queries": "",
    "warehouse": "contracts",
    "english": "contracts warehouse",
    "profiles": "contracts warehouse",
    "encoders": "contracts warehouse profiles",
    "rules": "contracts warehouse profiles encoders english",
    "endpoint": "contracts warehouse profiles",
    "roles": "contracts warehouse profiles encoders endpoint english rules",
    "functions": "contracts warehouse profiles queries roles rules",
    "plugin": "contracts warehouse profiles endpoint roles functions",
}


def test_no_import_circle():
    graph = {name: our_imports(path) - {name} for name, path in modules().items()}
    assert len(graph) > 50
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"import circle: {' -> '.join(error.args[1])}")


def test_the_layers_of_udfs():
    seen = set()
    for name, path in modules().items():
        package, _, rest = name.partition(".")
        part = rest.partition(".")[0]
        if package != "udfs" or not part:
            continue
        seen.add(part)
        imported = {other.split(".")[1] for other in our_imports(path) if other.startswith("udfs.")}
        assert imported <= {part, *LAYERS[part].split()}, path
        assert all(other.startswith("udfs") for other in our_imports(path)), path
    assert seen == set(LAYERS)


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def files(suffix: str) -> list[Path]:
    return [path for folder in FOLDERS for path in sorted((REPO / folder).rglob(f"*{suffix}"))]


def test_no_file_is_long():
    """Python and SQL: a longer file holds two subjects."""
    found = [*files(".py"), *files(".sql")]
    assert len(found) > 300
    lines = {str(path.relative_to(REPO)): len(read(path).splitlines()) for path in found}
    assert {path: count for path, count in lines.items() if count > MOST_LINES_OF_A_FILE} == {}


def test_no_function_and_no_class_is_long():
    long = []
    for path in files(".py"):
        for node in ast.walk(ast.parse(read(path))):
            most = 0
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                most = MOST_LINES_OF_A_FUNCTION
            elif isinstance(node, ast.ClassDef):
                most = MOST_LINES_OF_A_CLASS
            if most and node.end_lineno - node.lineno + 1 > most:
                long.append(f"{path.relative_to(REPO)}:{node.lineno} {node.name}")
    assert long == []
