"""The build lock and the words for expected errors, around each asset that writes."""

from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg
import duckdb

from dagster_defs.outputs.validate import ReleaseError
from dagster_defs.warehouse.dbt import BuildError
from dagster_defs.warehouse.instance import USERS_FAULT
from dagster_defs.warehouse.lock import build_lock, explain_database_error
from udfs.warehouse.errors import UserError
from udfs.warehouse.settings import Settings


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
