"""What `dagster dev` loads: the definitions for the settings of the environment."""

from dagster_defs.assets.define import define
from udfs.warehouse.settings import Settings

defs = define(Settings.from_env())
