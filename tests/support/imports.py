"""What each Python file of the project imports: anywhere in it, also in functions and for types."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from udfs.warehouse.places import REPO

PACKAGES = ("udfs", "dagster_defs", "sample_city")


@lru_cache
def modules() -> dict[str, Path]:
    """The file of each module of the project's packages, by the name it is imported with."""
    return {
        ".".join(path.relative_to(REPO).with_suffix("").parts).removesuffix(".__init__"): path
        for package in PACKAGES
        for path in sorted((REPO / package).rglob("*.py"))
    }


@lru_cache
def imports_of(path: Path) -> frozenset[str]:
    """The dotted names that a file imports: modules, and names in them."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} line {node.lineno}: name the whole module"
            names.add(str(node.module))
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return frozenset(names)


def our_imports(path: Path) -> set[str]:
    """The modules of the project that a file imports."""
    return {name for name in imports_of(path) if name in modules()}


def files_below(folders: Iterable[Path]) -> list[Path]:
    return [path for folder in folders for path in sorted(folder.rglob("*.py"))]
