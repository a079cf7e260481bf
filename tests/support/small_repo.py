"""A small repository to run whole builds on, in seconds and without a model."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.support.builds import PATIENCE
from udfs.english import SEEDS

REPO = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class SmallRepo:
    """A repository with the real `dagster_defs` over a dbt project of a few constant tables."""

    root: Path

    @property
    def warehouse(self) -> Path:
        return self.root / "warehouse"

    @property
    def data(self) -> Path:
        return self.root / "collection"

    def environment(self, **settings: str) -> dict[str, str]:
        """The environment without the caller's settings, with these."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("HETERQA_", "DAGSTER_"))}
        own = {
            "HETERQA_WAREHOUSE": str(self.warehouse),
            "HETERQA_DATA": str(self.data),
            "PYTHONPATH": str(self.root),
        }
        return kept | own | settings

    def build(self, **settings: str) -> subprocess.CompletedProcess[str]:
        """What `make run` does, in a process of its own."""
        return subprocess.run(
            [sys.executable, "-m", "dagster_defs.commands.build"],
            cwd=self.root,
            env=self.environment(**settings),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )

    def write_collection(self, *business_ids: str) -> None:
        self.data.mkdir(exist_ok=True)
        for name in ("business", "review", "tip", "user"):
            (self.data / f"yelp_academic_dataset_{name}.json").write_text("{}\n")
        (self.data / "photos.json").write_text("{}\n")
        lines = "".join(f'{{"business_id": "{business_id}"}}\n' for business_id in business_ids)
        (self.data / "yelp_academic_dataset_business.json").write_text(lines)


def make_small_repo(root: Path, *more: str) -> SmallRepo:
    """Write the project `small` below root, and over it the files of the projects `more`."""
    project = REPO / "tests" / "projects" / "small"
    for folder in ("dbt_project", "models", "macros", "seeds"):
        shutil.copytree(project / folder, root / folder)
    shutil.copytree(project / "audits", root / "tests" / "audits")
    for name in more:
        shutil.copytree(REPO / "tests" / "projects" / name, root, dirs_exist_ok=True)
        for macros in ("materializations", "asking"):
            shutil.copytree(REPO / "macros" / macros, root / "macros" / macros, dirs_exist_ok=True)
        for seed in SEEDS:
            shutil.copy(seed, root / "seeds")
    for package in ("dagster_defs", "sample_city", "udfs"):
        shutil.copytree(
            REPO / package, root / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    repo = SmallRepo(root)
    repo.write_collection("b-1", "b-2")
    return repo
