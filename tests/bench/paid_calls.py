"""How far paid judgements are from the time that waiting for the endpoint alone takes.

    python -m tests.bench.paid_calls        (make bench-paid)

Distinct judgements go to a server on this machine that takes 50 ms for each, 16 at a time. Ideal
is the time of so many calls when nothing but the server takes any. `calls` is `ask_chat` alone;
`build` is the way of a build: rows of DuckDB, prompts, calls, the journal, rows again. `photos` is
the same for a tenth as many judgements of photos of 1600 x 1200 pixels, each a file, which are
opened, made smaller and encoded; `reading` is that work alone, on one core.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
from PIL import Image

from tests.support.fault_server import FaultServer, fault_server
from udfs.endpoint.ask import ask_chat
from udfs.endpoint.photo import data_url
from udfs.endpoint.prompt import chat_request
from udfs.plugin import configure_connection
from udfs.profiles.parameters import Endpoint
from udfs.profiles.profile import load_profile
from udfs.warehouse.collection import photo_folder
from udfs.warehouse.settings import Settings

LATENCY = 0.05
CHUNK = 2048
JUDGE_TEXT = "judge_text(request_key, 'support', claim, content)"
JUDGE_PHOTO = "judge_photo(request_key, 'support', claim, content, request_key || '.jpg')"
CLAIMS = ("It has a quiet patio.", "The staff is friendly.", "Dogs are welcome.")
TEXT = (
    "We came on a Sunday for brunch and sat outside, number {}. The patio was quiet, the eggs were "
    "cold, and it took forty minutes until somebody brought the bill. Our dog got a bowl of water. "
    "I would come back for the coffee alone, but not on a weekend, and not with people in a hurry."
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--calls", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    os.environ["OPENAI_API_KEY"] = "no-secret"
    with (
        tempfile.TemporaryDirectory() as name,
        fault_server(Path(name), latency=LATENCY, brief=True) as server,
    ):
        settings = _settings(Path(name), server)
        profile = load_profile(settings.profile_path)
        endpoint = profile.judge
        assert isinstance(endpoint, Endpoint)
        connection = duckdb.connect(settings.build_path)
        configure_connection(connection, settings, profile)
        _write_requests(connection, chosen.calls)
        photos = chosen.calls // 10
        folder = photo_folder(settings)
        _write_photos(folder, photos)
        measured: dict[str, tuple[int, Callable[[], None]]] = {
            "calls": (chosen.calls, lambda: _call(connection, endpoint)),
            "build": (chosen.calls, lambda: _build(connection, JUDGE_TEXT, chosen.calls)),
            "photos": (photos, lambda: _build(connection, JUDGE_PHOTO, photos)),
            "reading": (photos, lambda: _read_photos(folder, photos)),
        }
        _measure(measured, chosen.rounds, endpoint.in_flight)


def _measure(
    measured: dict[str, tuple[int, Callable[[], None]]], rounds: int, in_flight: int
) -> None:
    """Print the best time of each, beside the time that waiting alone takes."""
    print(f"calls of {LATENCY * 1000:.0f} ms, {in_flight} at a time")
    # In turns, so that a busy machine is as busy for all.
    times = [[_seconds(what) for _, what in measured.values()] for _ in range(rounds)]
    for (name, (count, _)), seconds in zip(measured.items(), zip(*times, strict=True), strict=True):
        best, worked = min(seconds)
        ideal = count * LATENCY / in_flight
        print(
            f"{name:<8}{count:6,} in {best:6.2f} s, ideal {ideal:6.2f} s, "
            f"{best / ideal:.2f} times that; {worked / count * 1000:.2f} ms of work each"
        )


def _call(connection: duckdb.DuckDBPyConnection, endpoint: Endpoint) -> None:
    """The calls alone."""
    rows = connection.execute("select request_key, claim, content from requests").fetchall()
    chats = [chat_request(k, "judge_support", claim=c, evidence=t) for k, c, t in rows]
    for start in range(0, len(chats), CHUNK):
        ask_chat(chats[start : start + CHUNK], endpoint)


def _build(connection: duckdb.DuckDBPyConnection, function: str, count: int) -> None:
    """The way of a build, as the materialization does it."""
    answered = f"select *, unnest({function})"
    connection.execute("drop table if exists answers")
    connection.execute(f"create table answers as {answered} from requests limit 0")
    for start in range(0, count, CHUNK):
        connection.execute(
            "create or replace temp table batch as from requests"
            f" order by request_key limit {min(CHUNK, count - start)} offset {start}"
        )
        connection.execute(f"insert into answers {answered} from batch")
    found = connection.execute("select count(*), count(error) from answers").fetchone()
    assert found == (count, 0), found


def _settings(folder: Path, server: FaultServer) -> Settings:
    os.environ["HETERQA_BASE_URL"] = server.base_url
    own = {"HETERQA_DATA": str(folder), "HETERQA_WAREHOUSE": str(folder)}
    return Settings.from_env(own | {"HETERQA_PROFILE": "openai"})


def _write_photos(folder: Path, photos: int) -> None:
    folder.mkdir()
    noise = Image.effect_noise((1600, 1200), 40).convert("RGB")
    for number in range(photos):
        noise.rotate(number).save(folder / f"{number:08x}.jpg", quality=85)


def _read_photos(folder: Path, photos: int) -> None:
    for number in range(photos):
        data_url(folder, f"{number:08x}.jpg")


def _write_requests(connection: duckdb.DuckDBPyConnection, calls: int) -> None:
    connection.execute(
        "create table requests (request_key varchar, claim varchar, content varchar)"
    )
    connection.executemany(
        "insert into requests values (?, ?, ?)",
        [[f"{n:08x}", CLAIMS[n % len(CLAIMS)], TEXT.format(n)] for n in range(calls)],
    )


def _seconds(what: Callable[[], None]) -> tuple[float, float]:
    """How long it took, and how much of it this process was at work."""
    started, worked = time.perf_counter(), time.process_time()
    what()
    return time.perf_counter() - started, time.process_time() - worked


if __name__ == "__main__":
    main()
