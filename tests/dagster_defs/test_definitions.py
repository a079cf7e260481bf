"""The asset graph of the real project: it loads, it is whole, and it starts at the input files."""

from __future__ import annotations

import shutil
from pathlib import Path

import dagster as dg
import pytest
import yaml

from dagster_defs.assets.define import define
from dagster_defs.assets.published import PUBLISHED
from dagster_defs.assets.translator import IMPORTED, INPUT_FILES
from dagster_defs.warehouse.dbt import _plain, load_manifest
from dagster_defs.warehouse.instance import write_instance_file
from udfs.warehouse.places import REPO
from udfs.warehouse.settings import Settings

SCHEMAS = {
    "staging",
    "sources",
    "vectors",
    "construction",
    "quality",
    "release",
    "retrieval",
    "evaluation",
}


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    warehouse = tmp_path_factory.mktemp("definitions")
    return Settings.from_env({"HETERQA_WAREHOUSE": str(warehouse)})


@pytest.fixture(scope="module")
def definitions(settings: Settings) -> dg.Definitions:
    with pytest.MonkeyPatch.context() as environment:
        for name, value in settings.to_env().items():
            environment.setenv(name, value)
        return define(settings)


def test_every_model_and_seed_is_an_asset_in_the_group_of_its_folder(
    definitions: dg.Definitions,
) -> None:
    graph = definitions.resolve_asset_graph()
    folder = REPO / "models"
    models = {
        path.stem: path.relative_to(folder).parts[0]
        for path in [*folder.rglob("*.sql"), *folder.rglob("*.py")]
        if "materialized='ephemeral'" not in path.read_text(encoding="utf-8")
    }
    groups = {key.path[-1]: graph.get(key).group_name for key in graph.get_all_asset_keys()}
    assert set(models.values()) == SCHEMAS
    assert models.items() <= groups.items()
    assert {path.stem for path in (REPO / "seeds").glob("*.csv")} <= set(groups)


def test_everything_is_between_the_input_files_and_the_published_warehouse(
    definitions: dg.Definitions,
) -> None:
    graph = definitions.resolve_asset_graph()
    before = dg.AssetSelection.assets(PUBLISHED).upstream().resolve(graph)
    after = dg.AssetSelection.assets(INPUT_FILES).downstream().resolve(graph)
    for key in graph.get_all_asset_keys():
        if graph.get(key).group_name in SCHEMAS:
            assert key in before, f"{key} is published, but nothing waits for it"
        if graph.get(key).group_name == "staging":
            assert key in after, f"{key} does not wait for the input files"
    assert dg.AssetKey("sample_city") in before
    published = {key for key in after if graph.get(key).group_name == "published"}
    assert {key.path[-1] for key in published} == {
        "published_warehouse",
        "release_files",
        "run_files",
        "report",
        "recovery_plot",
        "record_points_file",
    }


def test_every_dbt_test_is_an_asset_check(definitions: dg.Definitions, settings: Settings) -> None:
    tests = {
        node["name"]
        for node in load_manifest(settings)["nodes"].values()
        if node["resource_type"] == "test" and node["depends_on"]["nodes"]
    }
    checks = {key.name for key in definitions.resolve_asset_graph().asset_check_keys}
    assert tests == checks


def test_one_process_runs_everything(definitions: dg.Definitions) -> None:
    assert definitions.executor is dg.in_process_executor
    job = definitions.resolve_job_def("build")
    assert job.executor_def is dg.in_process_executor
    assert len(job.all_node_defs) == 9


def test_a_collection_of_the_user_needs_no_sample_city(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = {"HETERQA_DATA": str(tmp_path), "HETERQA_WAREHOUSE": str(tmp_path / "warehouse")}
    own = Settings.from_env(settings.to_env() | changed)
    for name, value in own.to_env().items():
        monkeypatch.setenv(name, value)
    # No model depends on the collection, and parsing takes most of the time.
    manifest = load_manifest(settings)
    monkeypatch.setattr("dagster_defs.assets.define.load_manifest", lambda _: manifest)
    keys = define(own).resolve_asset_graph().get_all_asset_keys()
    assert dg.AssetKey("sample_city") not in keys


def test_an_imported_release_is_checked_first_and_nothing_is_constructed(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = {"HETERQA_RELEASE": str(tmp_path), "HETERQA_WAREHOUSE": str(tmp_path / "warehouse")}
    own = Settings.from_env(settings.to_env() | changed)
    for name, value in own.to_env().items():
        monkeypatch.setenv(name, value)
    graph = define(own).resolve_asset_graph()
    groups = {graph.get(key).group_name for key in graph.get_all_asset_keys()}
    assert "construction" not in groups
    assert dg.AssetKey("release_files") not in graph.get_all_asset_keys()
    after = dg.AssetSelection.assets(IMPORTED).downstream().resolve(graph)
    for key in graph.get_all_asset_keys():
        if graph.get(key).group_name in SCHEMAS - {"seeds"}:
            assert key in after, f"{key} does not wait for the release to be checked"
    assert "evaluation_gold" in {key.name for key in graph.asset_check_keys}


def test_an_unchanged_project_is_not_parsed_again(
    definitions: dg.Definitions, settings: Settings
) -> None:
    path = settings.dbt_target_dir / "manifest.json"
    before = path.stat()
    load_manifest(settings)
    assert path.stat() == before


def test_a_parse_of_another_folder_is_not_used(
    definitions: dg.Definitions,
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = settings.model_copy(update={"warehouse": tmp_path})
    shutil.copytree(settings.dbt_target_dir, own.dbt_target_dir)
    stamp = own.dbt_target_dir / "parsed_from.txt"
    kept = own.dbt_target_dir / "partial_parse.msgpack"
    assert kept.exists()
    found: list[bool] = []
    monkeypatch.setattr(
        "dagster_defs.warehouse.dbt.run_dbt", lambda *_: found.append(kept.exists()) or iter(())
    )
    load_manifest(own)  # the warehouse is another, the project is where it was
    stamp.write_text("/elsewhere/project\n" + stamp.read_text().partition("\n")[2])
    load_manifest(own)
    assert found == [True, False]


def test_dagster_asks_nobody_and_tells_nobody(settings: Settings) -> None:
    write_instance_file(settings)
    content = yaml.safe_load((settings.dagster_home / "dagster.yaml").read_text())
    assert content == {"telemetry": {"enabled": False}, "nux": {"enabled": False}}
    with dg.DagsterInstance.from_config(str(settings.dagster_home)) as instance:
        assert not instance.telemetry_enabled
        assert not instance.nux_enabled


def test_of_a_failed_python_model_only_the_error_is_said() -> None:
    message = """Runtime Error in model recovery_nearest (../models/recovery_nearest.py)
  Python model failed:
  Traceback (most recent call last):
    File "environments/__init__.py", line 286, in run_python_job
      df = module.model(dbt, con)
           ^^^^^^^^^^^^^^^^^^^^^^
    File "vectors.py", line 46, in _matrix
      raise ValueError("no")
  ValueError: vectors of 4
  and of 8
"""
    assert _plain(message).split("\n    ") == [
        *("Python model failed:", "ValueError: vectors of 4", "and of 8")
    ]
