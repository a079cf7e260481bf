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
            names.update(f"{alias.name}{end}" for alias in node.names for end in ("", ".*"))
        elif isinstance(node, ast.ImportFrom):
            package = path.relative_to(REPO).parts[: -node.level] if node.level else ()
            module = ".".join([*package, *([node.module] if node.module else [])])
            names.add(module)
            names.update(f"{module}.{alias.name}" for alias in node.names)
    return frozenset(names)


def our_imports(path: Path) -> set[str]:
    """The modules of the project that a file imports."""
    names = imports_of(path)
    ours = {name for name in names if name in modules()}
    # `from package import module` asks for the module, and not for what the package defines.
    used = {name.rpartition(".")[0] for name in names - ours}
    return {name for name in ours if name in used or not _is_package(name)}


def _is_package(name: str) -> bool:
    return modules()[name].name == "__init__.py"


def files_below(folders: Iterable[Path]) -> list[Path]:
    return [path for folder in folders for path in sorted(folder.rglob("*.py"))]
