"""A fake OpenAI-compatible server with faults, in a process of its own, for tests.

Which request meets which fault follows from its content alone; a share of the faults (--lasting)
stays, the others come on the first try only. Every request is one line of the server's log.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPO = Path(__file__).resolve().parents[2]
FAULTS = (
    "429", "500", "hang", "half", "half_body", "schema", "refusal", "huge", "reset", "drip",
    "empty", "length", "echo", "400", "401", "403", "404", "quota", "html", "no_usage", "fenced",
    "escaped_echo", "filter", "escaped_refusal",
)  # fmt: skip
# Far more than the buffers of a connection hold, so that who stops reading is seen to.
HUGE_BYTES = 100_000_000


@dataclass
class FaultServer:
    """A running server: where it listens, its process, and what it was asked so far."""

    base_url: str
    process: subprocess.Popen[str]
    log_path: Path
    gate: Path

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The requests: identity, body_hash, fault, status, is_paid, usage, is_probe, in_flight."""
        return [line for line in self._lines() if "identity" in line]

    @property
    def held(self) -> Counter[str]:
        """How often each distinct request has come to the closed gate."""
        return Counter(line["held"] for line in self._lines() if "held" in line)

    def open_gate(self) -> None:
        """Let the server answer what it holds, and wait until it has."""
        held = self.held
        self.gate.touch()
        deadline = time.monotonic() + 600
        while not held <= Counter(call["body_hash"] for call in self.calls):
            assert time.monotonic() < deadline, "the server did not answer what it held"
            time.sleep(0.01)

    def sent_of_huge(self) -> int:
        """The most bytes of a huge answer that a client took."""
        return max(line.get("sent_of_huge", 0) for line in self._lines())

    def _lines(self) -> list[dict[str, Any]]:
        """The log without a last line that is still being written."""
        if not self.log_path.exists():
            return []
        lines = self.log_path.read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines if line.endswith("}")]

    @property
    def paid(self) -> Counter[str]:
        """How often each distinct request was answered with a completion, probes left out."""
        answered = (call for call in self.calls if call["is_paid"] and not call["is_probe"])
        return Counter(call["body_hash"] for call in answered)

    @property
    def peak_in_flight(self) -> int:
        return max((call["in_flight"] for call in self.calls), default=0)

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def fault_server(
    folder: Path,
    *,
    latency: float = 0.0,
    lasting: float = 0.5,
    port: int = 0,
    dimensions: int = 64,
    down_after: int = 0,
    down: str = "hang",
    retry_after: str = "ms",
    brief: bool = False,
    gate_after: int = -1,
    **faults: float,
) -> Iterator[FaultServer]:
    """A server while the block runs; `faults` are shares of the requests, as `f500=0.05`.

    gate_after: requests after so many wait until the gate is opened; -1: there is no gate.
    """
    log_path, gate = folder / "fault_server.jsonl", folder / "gate"
    shares = {name.removeprefix("f"): share for name, share in faults.items()}
    shares = {name if name in FAULTS else "f" + name: share for name, share in shares.items()}
    arguments = ["--log", str(log_path), "--latency", str(latency), "--lasting", str(lasting)]
    arguments += ["--port", str(port), "--dimensions", str(dimensions)]
    arguments += ["--down-after", str(down_after), "--down", down, "--retry-after", retry_after]
    arguments += ["--brief"] * brief
    arguments += ["--gate", str(gate), "--gate-after", str(gate_after)]
    for name, share in shares.items():
        arguments += ["--fault", f"{name}={share}"]
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.faulty_endpoint", *arguments],
        cwd=REPO,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    server = FaultServer(line, process, log_path, gate)
    try:
        assert line.startswith("http"), "the fault server did not start"
        yield server
    finally:
        server.stop()
