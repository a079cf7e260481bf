"""`make run` whose model hangs at its second batch: a build that a test can kill in the middle.

python -m tests.support.hanging_build embed_text
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

import udfs.plugin
from dagster_defs.commands.build import main
from udfs.functions import Function, register

HANGING = "the model hangs"


def hanging(function: Function) -> Function:
    """The function, which answers one batch and never another."""
    batches = 0

    def ask(rows: Sequence[Any], asking: Any) -> Any:
        nonlocal batches
        batches += bool(rows)
        if batches == 2:
            print(HANGING, flush=True)
            while True:
                time.sleep(60)
        return function.ask(rows, asking)

    return function._replace(ask=ask)


def register_hanging(connection: Any, name: str, function: Function, *rest: Any) -> None:
    register(connection, name, hanging(function) if name == wanted else function, *rest)


if __name__ == "__main__":
    wanted = sys.argv.pop()
    udfs.plugin.register = register_hanging
    sys.exit(main())
