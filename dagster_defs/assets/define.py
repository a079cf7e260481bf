"""All assets of a warehouse, from the input files over dbt to the report, and their job."""

import os

import dagster as dg

from dagster_defs.assets.inputs import define_inputs
from dagster_defs.assets.published import define_published
from dagster_defs.assets.tables import define_tables
from dagster_defs.assets.translator import IMPORTED, INPUT_FILES, Translator
from dagster_defs.warehouse.dbt import load_manifest
from udfs.warehouse.settings import Settings


def define(settings: Settings) -> dg.Definitions:
    """All assets of a warehouse. Raises BuildError when the dbt project cannot be parsed."""
    os.environ.update(settings.to_env())
    manifest = load_manifest(settings)
    translator = Translator(first=IMPORTED if settings.release else INPUT_FILES)
    return dg.Definitions(
        assets=[
            *define_inputs(settings),
            define_tables(settings, manifest, translator),
            *define_published(settings, manifest, translator),
        ],
        jobs=[dg.define_asset_job("build", selection=dg.AssetSelection.all())],
        executor=dg.in_process_executor,
    )
