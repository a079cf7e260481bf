"""The assets before dbt: the sample city, the input files, an imported release."""

from dataclasses import asdict
from typing import Any

import dagster as dg

from dagster_defs.assets.translator import IMPORTED, INPUT_FILES
from dagster_defs.assets.writing import writing
from dagster_defs.inputs.files import describe_inputs, ensure_sample_city
from dagster_defs.inputs.imported import check_imported, describe_imported
from dagster_defs.terminal.progress import say
from dagster_defs.warehouse.dbt import run_dbt
from udfs.warehouse.inputs import InputFile
from udfs.warehouse.settings import Settings

SAMPLE_CITY = dg.AssetKey("sample_city")
# The release is checked before anything else is read: what depends on it can take hours.
IMPORT_COMMAND = [
    *("--no-write-json", "build", "--select", "+imported_answers"),
    *("--exclude-resource-type", "test", "unit_test"),
]


def define_inputs(settings: Settings) -> list[dg.AssetsDefinition]:
    """The assets that a build of these settings starts with."""
    assets = [_input_files(settings)]
    if settings.release:
        assets.append(_imported_release(settings))
    if settings.is_sample_city:
        assets.append(_sample_city(settings))
    return assets


def _sample_city(settings: Settings) -> dg.AssetsDefinition:
    @dg.asset(key=SAMPLE_CITY, group_name="inputs", kinds={"python"})
    def sample_city() -> dg.MaterializeResult[Any]:
        """The generated default collection and its planted truth."""
        with writing(settings):
            ensure_sample_city(settings)
        return dg.MaterializeResult(metadata={"folder": dg.MetadataValue.path(settings.data)})

    return sample_city


def _input_files(settings: Settings) -> dg.AssetsDefinition:
    @dg.asset(
        key=INPUT_FILES,
        group_name="inputs",
        kinds={"json"},
        deps=[SAMPLE_CITY] if settings.is_sample_city else [],
    )
    def input_files() -> dg.MaterializeResult[Any]:
        """The files that a build reads, with their sizes and hashes."""
        with writing(settings):
            inputs = describe_inputs(settings)
        files = [*inputs.files, *inputs.release]
        say(f"  input files: {', '.join(f'{file.name} {file.lines:,}' for file in files)} lines")
        return dg.MaterializeResult(
            metadata={
                "folder": dg.MetadataValue.path(settings.data),
                "files": _as_table(files),
            }
        )

    return input_files


def _imported_release(settings: Settings) -> dg.AssetsDefinition:
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

    return imported_release


def _as_table(files: list[InputFile]) -> dg.TableMetadataValue:
    columns = [dg.TableColumn(name) for name in ("name", "bytes", "lines", "sha256")]
    rows = [
        dg.TableRecord(
            {"name": file.name, "bytes": file.size, "lines": file.lines, "sha256": file.sha256}
        )
        for file in files
    ]
    return dg.MetadataValue.table(rows, dg.TableSchema(columns))
