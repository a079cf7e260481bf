"""The assets, from the input files over all dbt models to the report, and the job of them all."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

import dagster as dg
import duckdb
from dagster_dbt import DagsterDbtTranslator, DagsterDbtTranslatorSettings, DbtProject, dbt_assets
from dagster_dbt.asset_utils import get_subset_selection_for_context
from dagster_dbt.core.dbt_cli_event import DbtCoreCliEventMessage

from dagster_defs.inputs.field_catalog import write_field_rules
from dagster_defs.inputs.files import check_decisions, describe_inputs, ensure_sample_city
from dagster_defs.inputs.imported import check_imported, describe_imported
from dagster_defs.outputs.publish import publish
from dagster_defs.outputs.release import ReleaseError, draft_release, write_release
from dagster_defs.outputs.runs import write_runs
from dagster_defs.pages.recovery_plot import as_markdown, write_plot
from dagster_defs.pages.report import write_report
from dagster_defs.terminal.outcomes import require_questions
from dagster_defs.terminal.progress import Progress, say, short_path
from dagster_defs.warehouse.dbt import BuildError, load_manifest, run_dbt
from dagster_defs.warehouse.instance import USERS_FAULT
from dagster_defs.warehouse.lock import build_lock, explain_database_error
from udfs.warehouse.errors import UserError
from udfs.warehouse.journal import shorten_journal
from udfs.warehouse.settings import Settings

INPUT_FILES = dg.AssetKey("input_files")
# dbt's unit tests belong to `make test`. The manifest is written by parsing alone.
BUILD_COMMAND = ["--no-write-json", "build", "--exclude-resource-type", "unit_test"]
# The release is checked before anything else is read: what depends on it can take hours.
IMPORT_COMMAND = [
    *("--no-write-json", "build", "--select", "+imported_answers"),
    *("--exclude-resource-type", "test", "unit_test"),
]
IMPORTED = dg.AssetKey("imported_release")
PUBLISHED = dg.AssetKey("published_warehouse")


class Translator(DagsterDbtTranslator):
    """Keys and groups are schemas; what reads no other model waits for the asset `first`."""

    def __init__(self, first: dg.AssetKey) -> None:
        super().__init__(DagsterDbtTranslatorSettings(enable_duplicate_source_asset_keys=True))
        self.first = first

    def get_asset_key(self, dbt_resource_props: Mapping[str, Any]) -> dg.AssetKey:
        if dbt_resource_props["resource_type"] == "source":
            return INPUT_FILES
        return dg.AssetKey([dbt_resource_props["schema"], dbt_resource_props["name"]])

    def get_group_name(self, dbt_resource_props: Mapping[str, Any]) -> str:
        return dbt_resource_props["schema"]

    def get_asset_spec(
        self, manifest: Mapping[str, Any], unique_id: str, project: DbtProject | None
    ) -> dg.AssetSpec:
        spec = super().get_asset_spec(manifest, unique_id, project)
        parents = manifest["parent_map"][unique_id]
        if unique_id.startswith("model.") and all(name.startswith("seed.") for name in parents):
            return spec.replace_attributes(deps=[*spec.deps, self.first])
        return spec


@contextmanager
def writing(settings: Settings) -> Iterator[None]:
    """Hold the build lock during a step; expected errors become a failure in plain words."""
    try:
        with build_lock(settings):
            yield
    except UserError as error:
        metadata = {USERS_FAULT: True}
        raise dg.Failure(str(error), metadata=metadata, allow_retries=False) from None
    except (BuildError, ReleaseError) as error:
        raise dg.Failure(description=str(error), allow_retries=False) from None
    except duckdb.Error as error:
        if explained := explain_database_error(str(error)):
            raise dg.Failure(description=explained, allow_retries=False) from None
        raise
    except OSError as error:
        if not error.filename:
            raise
        description = f"{error.filename}: {(error.strerror or str(error)).lower()}"
        raise dg.Failure(description=description, allow_retries=False) from None


def define(settings: Settings) -> dg.Definitions:
    """All assets of a warehouse. Raises BuildError when the dbt project cannot be parsed."""
    os.environ.update(settings.to_env())
    manifest = load_manifest(settings)
    translator = Translator(first=IMPORTED if settings.release else INPUT_FILES)

    @dg.asset(group_name="inputs", kinds={"python"})
    def sample_city() -> dg.MaterializeResult[Any]:
        """The generated default collection and its planted truth."""
        with writing(settings):
            ensure_sample_city(settings)
        return dg.MaterializeResult(metadata={"folder": dg.MetadataValue.path(settings.data)})

    @dg.asset(
        key=INPUT_FILES,
        group_name="inputs",
        kinds={"json"},
        deps=[sample_city] if settings.is_sample_city else [],
    )
    def input_files() -> dg.MaterializeResult[Any]:
        """The files that a build reads, with their sizes and hashes."""
        with writing(settings):
            inputs = describe_inputs(settings)
            if not settings.release:
                check_decisions(settings)
            write_field_rules(settings)
        files = [*inputs.files, *inputs.release]
        say(f"  input files: {', '.join(f'{file.name} {file.lines:,}' for file in files)} lines")
        columns = [dg.TableColumn(name) for name in ("name", "bytes", "lines", "sha256")]
        rows = [
            dg.TableRecord(
                {"name": file.name, "bytes": file.size, "lines": file.lines, "sha256": file.sha256}
            )
            for file in files
        ]
        return dg.MaterializeResult(
            metadata={
                "folder": dg.MetadataValue.path(settings.data),
                "files": dg.MetadataValue.table(rows, dg.TableSchema(columns)),
            }
        )

    @dg.asset(key=IMPORTED, group_name="inputs", kinds={"json"}, deps=[INPUT_FILES])
    def imported_release() -> dg.MaterializeResult[Any]:
        """The questions and answers of the release that is evaluated; it fits the collection."""
        with writing(settings):
            for _ in run_dbt(settings, IMPORT_COMMAND):
                pass
            imported = check_imported(settings)
        say(f"  {describe_imported(imported)}")
        return dg.MaterializeResult(
            metadata={"folder": dg.MetadataValue.path(str(settings.release)), **asdict(imported)}
        )

    @dbt_assets(manifest=manifest, dagster_dbt_translator=translator, name="warehouse_tables")
    def warehouse_tables(context: dg.AssetExecutionContext) -> Iterator[Any]:
        """Every seed, model and test of the dbt project, in one dbt run."""
        selection, indirect = get_subset_selection_for_context(
            context=context,
            manifest=manifest,
            select=None,
            exclude=None,
            selector=None,
            dagster_dbt_translator=translator,
            current_dbt_indirect_selection_env=None,
        )
        if indirect:
            selection += ["--indirect-selection", indirect]
        progress = Progress(manifest)
        with writing(settings):
            for event in run_dbt(settings, [*BUILD_COMMAND, *selection], progress.wait):
                progress.show(event)
                yield from DbtCoreCliEventMessage(event, {}).to_default_asset_events(
                    manifest=manifest, dagster_dbt_translator=translator, context=context
                )
        progress.finish()

    @dg.asset(
        key=PUBLISHED,
        group_name="published",
        kinds={"duckdb"},
        deps=_last_models(manifest, translator),
    )
    def published_warehouse() -> dg.MaterializeResult[Any]:
        """heterqa.duckdb: the finished build, for everybody to read."""
        with writing(settings):
            if not settings.release:
                require_questions(settings)
                # What could fail after publishing is tried before.
                draft_release(settings, settings.build_path)
            path = publish(settings, without=_tables_not_built(manifest))
            shorten_journal(settings)
        say(f"  published {short_path(path)}")
        return dg.MaterializeResult(
            metadata={"path": dg.MetadataValue.path(path), "bytes": path.stat().st_size}
        )

    @dg.asset(group_name="published", kinds={"json"}, deps=[PUBLISHED, INPUT_FILES])
    def release_files() -> dg.MaterializeResult[Any]:
        """release/: the benchmark in the layout of the HeterQA release, checked."""
        with writing(settings):
            counts = write_release(settings)
        return dg.MaterializeResult(
            metadata={"folder": dg.MetadataValue.path(settings.release_dir), **counts}
        )

    @dg.asset(group_name="published", kinds={"file"}, deps=[PUBLISHED])
    def run_files() -> dg.MaterializeResult[Any]:
        """runs/: every run in the TREC format."""
        with writing(settings):
            lines = write_runs(settings)
        return dg.MaterializeResult(
            metadata={"folder": dg.MetadataValue.path(settings.runs_dir), **lines}
        )

    @dg.asset(group_name="published", kinds={"html"}, deps=[PUBLISHED])
    def report() -> dg.MaterializeResult[Any]:
        """report.html: leaderboard, funnel, questions with their answers, model calls."""
        with writing(settings):
            path = write_report(settings)
        return dg.MaterializeResult(metadata={"path": dg.MetadataValue.path(path)})

    @dg.asset(group_name="published", kinds={"file"}, deps=[PUBLISHED])
    def recovery_plot() -> dg.MaterializeResult[Any]:
        """recovery_audit.svg: reliability and precision-recall of recovered values by field."""
        with writing(settings):
            path = write_plot(settings)
        picture = as_markdown(path.read_text(encoding="utf-8"))
        return dg.MaterializeResult(
            metadata={
                "path": dg.MetadataValue.path(path),
                "picture": dg.MetadataValue.md(picture),
            }
        )

    assets = [input_files, warehouse_tables, published_warehouse, run_files, report]
    # An imported release is not written again, and the last one that was constructed stays.
    assets += [imported_release] if settings.release else [release_files, recovery_plot]
    if settings.is_sample_city:
        assets.append(sample_city)
    return dg.Definitions(
        assets=assets,
        jobs=[dg.define_asset_job("build", selection=dg.AssetSelection.all())],
        executor=dg.in_process_executor,
    )


def _tables_not_built(manifest: Mapping[str, Any]) -> list[str]:
    """Tables of models that are off in this build: what is there is of an earlier one."""
    disabled = [node for nodes in manifest["disabled"].values() for node in nodes]
    models = [node for node in disabled if node["resource_type"] == "model"]
    return sorted(
        {f'"{node["schema"]}"."{node["name"]}"' for node in models}
        - {f'"{node["schema"]}"."{node["name"]}"' for node in manifest["nodes"].values()}
    )


def _last_models(manifest: Mapping[str, Any], translator: Translator) -> list[dg.AssetKey]:
    """Models that no other model reads: everything else is upstream of one of them."""
    is_read = {
        parent
        for node in manifest["nodes"].values()
        if node["resource_type"] == "model"
        for parent in node["depends_on"]["nodes"]
    }
    return [
        translator.get_asset_key(node)
        for unique_id, node in manifest["nodes"].items()
        if node["resource_type"] == "model" and unique_id not in is_read
    ]
