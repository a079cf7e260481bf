"""The ledger files of a warehouse: what it has paid, and answers that its tables do not hold yet.

`ledger/journal.jsonl` gets a line for whatever a call reserves and takes, answered or not, and one
for each answer of an endpoint as its call ends, before its chunk is committed: after a kill, the
`resumable` materialization takes the answers from there. Imported ledgers lie beside it and are
read in the same way; another warehouse has paid for those.
"""

from __future__ import annotations

import errno
import json
import os
import threading
from pathlib import Path
from typing import Any

import duckdb
from duckdb import DuckDBPyConnection

from udfs.contracts.usage import Usage
from udfs.warehouse.errors import UserError
from udfs.warehouse.settings import Settings

JOURNAL = "journal.jsonl"
IMPORTS = "import-*.jsonl.gz"
# Answers that this process has written, to be shown while a long step goes on.
written = 0

# The lines of the journal but for the last one, when a kill has cut it off.
_LINES = """
    read_json(
        getvariable('journal'), format = 'newline_delimited', ignore_errors = true,
        maximum_object_size = 67108864, columns = {
            request_key: 'varchar', answer: 'json',
            usage: 'struct(input_tokens bigint, output_tokens bigint, cost double)'
        }
    )
"""
_PAID = f"""
    select
        coalesce(sum(usage.input_tokens), 0)::bigint as input_tokens,
        coalesce(sum(usage.output_tokens), 0)::bigint as output_tokens,
        coalesce(sum(usage.cost), 0.0) as cost,
    from {_LINES}
"""


def ledger_pattern(settings: Settings) -> str:
    """The ledger files as a glob for DuckDB; '' when there is none."""
    folder = settings.ledger_dir
    return str(folder / "*.jsonl*") if any(folder.glob("*.jsonl*")) else ""


def has_journal(settings: Settings) -> bool:
    return (settings.ledger_dir / JOURNAL).is_file()


def paid_so_far(settings: Settings) -> Usage:
    """What endpoints were paid for this warehouse, for calls without an answer as well."""
    if not has_journal(settings):
        return Usage()
    with duckdb.connect() as connection:
        _open_journal(connection, settings)
        row = connection.execute(_PAID).fetchone()
    return Usage(*row) if row else Usage()


def uncommitted_answers(connection: DuckDBPyConnection, settings: Settings) -> str:
    """The query of what the journal holds and no table of the build: request_key, answer (JSON).

    The journal has to be there.
    """
    _open_journal(connection, settings)
    tables = [f"select request_key, error from {table}" for table in answer_tables(connection)]
    return f"""
        with known as ({" union all ".join(tables) or "select null as request_key, null as error"})

        select
            request_key,
            answer,
        from {_LINES} as entries
        where
            answer is not null
            and not exists (
                select 1 from known
                where
                    known.request_key = entries.request_key
                    and (known.error is null or (entries.answer ->> 'error') is not null)
            )
        qualify row_number() over (
            partition by request_key order by (answer ->> 'error') is not null, answer::varchar
        ) = 1
    """


def shorten_journal(settings: Settings) -> None:
    """Leave out of the journal what the build's tables hold, and add up what was paid.

    Whatever was built: answers that this build has not asked for are kept.
    """
    if not has_journal(settings):
        return
    journal = settings.ledger_dir / JOURNAL
    shorter = journal.with_name("journal.new")
    with duckdb.connect(settings.build_path, read_only=True) as connection:
        answers = uncommitted_answers(connection, settings)
        connection.execute(
            f"copy (from ({answers}) union all by name select paid as usage from ({_PAID}) as paid)"
            " to ? (format json)",
            [str(shorter)],
        )
    # It is the only record of what was paid: on the disk before it takes the other's place.
    with shorter.open("rb") as file:
        os.fsync(file.fileno())
    shorter.replace(journal)


def _open_journal(connection: DuckDBPyConnection, settings: Settings) -> None:
    connection.execute("set variable journal = ?", [str(settings.ledger_dir / JOURNAL)])


def answer_tables(connection: DuckDBPyConnection) -> list[str]:
    """The tables of answers, quoted: those that the `resumable` materialization has registered.

    Tables that builds with other settings have made are among them: their answers are paid for.
    """
    if not _registers_answers(connection):
        return []
    rows = connection.execute(
        """
        select schema_name, table_name
        from quality.answer_tables
        inner join duckdb_tables() using (schema_name, table_name)
        where database_name = current_database()
        order by schema_name, table_name
        """
    ).fetchall()
    return [f'"{schema}"."{name}"' for schema, name in rows]


def check_answer_tables(connection: DuckDBPyConnection, path: Path) -> None:
    """Raise UserError when an earlier version made the build at this path: its tables of answers
    are not registered, and would look like none."""
    found = connection.execute(
        "select 1 from duckdb_columns() where column_name = 'request_key' limit 1"
    ).fetchone()
    if found and not _registers_answers(connection):
        raise UserError(
            f"{path}: was built by an earlier version, which did not register its tables of "
            "answers; run `make run` first"
        )


def _registers_answers(connection: DuckDBPyConnection) -> bool:
    found = connection.execute(
        """
        select 1
        from duckdb_tables()
        where
            database_name = current_database() and schema_name = 'quality'
            and table_name = 'answer_tables'
        """
    ).fetchone()
    return found is not None


class Journal:
    """Appends lines as they come. A kill can cut off the last one, and no other."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._file: Any = None

    def write(self, request_key: str, answer: dict[str, Any]) -> None:
        """Write one answer as the SQL struct has it. Raises OSError when it cannot be written."""
        self._append({"request_key": request_key, "answer": answer})
        global written
        written += 1

    def record(self, usage: Usage) -> None:
        """Write down what a call reserves or takes. Raises OSError when it cannot be written."""
        self._append({"usage": usage._asdict()})

    def _append(self, entry: dict[str, Any]) -> None:
        line = json.dumps(entry, ensure_ascii=False, separators=(",", ":")) + "\n"
        with self._lock:
            if self._file is None:
                self._file = self._open()
            data = line.encode("utf-8", "replace")
            # A full disk takes a part without a word; the next line has to stand on its own.
            if self._file.write(data) != len(data):
                self._file = None
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))

    def _open(self) -> Any:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        file = self.path.open("ab", buffering=0)
        if file.tell() and not _ends_a_line(self.path) and file.write(b"\n") != 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))
        return file


def _ends_a_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
