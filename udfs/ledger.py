"""The ledger files of a warehouse: paid answers that its tables do not hold yet.

Every paid call that ends is written to `ledger/journal.jsonl` at once, before its chunk is
committed: after a kill, the `resumable` materialization takes the answers from there. Imported
ledgers lie beside it and are read in the same way.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Collection
from pathlib import Path
from typing import Any

from duckdb import DuckDBPyConnection

from udfs.settings import Settings

JOURNAL = "journal.jsonl"
IMPORTS = "import-*.jsonl.gz"
# Entries that this process has written, to be shown while a long step goes on.
written = 0


def ledger_pattern(settings: Settings) -> str:
    """The ledger files as a glob for DuckDB; '' when there is none."""
    folder = settings.ledger_dir
    return str(folder / "*.jsonl*") if any(folder.glob("*.jsonl*")) else ""


def clear_journal(settings: Settings) -> None:
    """Forget the journal, once the tables of a finished build hold all of it."""
    (settings.ledger_dir / JOURNAL).unlink(missing_ok=True)


def answer_tables(connection: DuckDBPyConnection) -> list[str]:
    """The tables of answers, quoted: those that have a request key and attempts."""
    rows = connection.execute(
        """
        select schema_name, table_name
        from duckdb_columns()
        inner join duckdb_tables() using (database_name, schema_name, table_name)
        where database_name = current_database()
        group by schema_name, table_name
        having bool_or(column_name = 'request_key') and bool_or(column_name = 'attempts')
        order by schema_name, table_name
        """
    ).fetchall()
    return [f'"{schema}"."{name}"' for schema, name in rows]


def spent_before(
    connection: DuckDBPyConnection, settings: Settings, free_models: Collection[str]
) -> float:
    """What the warehouse has paid so far, in the unit of HETERQA_MAX_COST; 0 without a limit.

    Calls of a build that was killed count as well: they stand in the journal. Imported answers do
    not: another warehouse has paid for them. free_models: models that no endpoint answers for; what
    they have read is counted, but costs nothing.
    """
    if settings.max_cost is None:
        return 0.0
    unit = "cost" if settings.max_cost.unit == "dollars" else "input_tokens + output_tokens"
    nothing = "select null as request_key, 0.0 as amount where false"
    paid = [
        f"select request_key, {unit} as amount from {table} where model not in $free"
        for table in answer_tables(connection)
    ]
    parameters: dict[str, Any] = {"free": [*free_models]} if paid else {}
    imported, imports = nothing, str(settings.ledger_dir / IMPORTS)
    if any(settings.ledger_dir.glob(IMPORTS)):
        parameters |= {"imports": imports}
        imported = """
            select request_key
            from read_json(
                $imports, format = 'newline_delimited', columns = {request_key: 'varchar'},
                maximum_object_size = 67108864
            )
        """
    journal = settings.ledger_dir / JOURNAL
    entries = nothing
    if journal.is_file():
        parameters |= {"journal": str(journal)}
        entries = f"""
            select request_key, sum({unit}) as amount
            from (
                select request_key, unnest(answer)
                from read_json(
                    $journal, format = 'newline_delimited', ignore_errors = true,
                    columns = {{
                        request_key: 'varchar',
                        answer: 'struct(cost double, input_tokens bigint, output_tokens bigint)'
                    }}
                )
            )
            group by request_key
        """
    row = connection.execute(
        f"""
        with paid as ({" union all ".join(paid) or nothing}),

        imported as ({imported}),

        entries as ({entries})

        select
            coalesce((
                select sum(amount) from paid
                where request_key not in (select request_key from imported)
            ), 0)
            + coalesce((
                select sum(amount) from entries
                where request_key not in (select request_key from paid)
            ), 0)
        """,
        parameters,
    ).fetchone()
    return float(row[0]) if row else 0.0


class Journal:
    """Appends answers as they come. A kill can cut off the last line, and no other."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._file: Any = None

    def write(self, request_key: str, answer: dict[str, Any]) -> None:
        """Write one answer as the SQL struct has it. Raises OSError when it cannot be written."""
        entry = {"request_key": request_key, "answer": answer}
        line = json.dumps(entry, ensure_ascii=False, separators=(",", ":")) + "\n"
        with self._lock:
            if self._file is None:
                self._file = self._open()
            self._file.write(line.encode("utf-8", "replace"))
            global written
            written += 1

    def _open(self) -> Any:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        file = self.path.open("ab", buffering=0)
        if file.tell() and not _ends_a_line(self.path):
            file.write(b"\n")
        return file


def _ends_a_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
