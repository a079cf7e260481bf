"""`make bench-initialize`: what it costs to draw F and find A, by the number of records.

Records are synthetic, in Yelp's shape: a few categories hold a third of them and most hold hardly
any, fields are known of nine records in ten down to one in a thousand. The models from `attempts`
on are what an attempt costs; those before it are made once for a collection, and shown apart.
With --frequencies it compares what is drawn with what the rules say instead.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import duckdb

from tests.bench.frequencies import LEAST_PROBABILITY, compare
from tests.bench.limits import Limit, hold_to
from tests.support.initialization import (
    ATTRIBUTE_MODELS,
    BEFORE,
    INITIALIZE,
    build,
    connection,
    give_every_source,
)

QUESTIONS, ATTEMPTS = 857, 3
DRAWN_ATTEMPTS = 20_000
SIZES = [10_000, 150_000]
MOST_SECONDS, MOST_RATIO = 60, 2
UNIFORM = "(hash({key}) % 1000003 / 1000003.0)"
CATEGORIES, CITIES, STATES = 1300, 1400, 27


def uniform(key: str) -> str:
    """SQL of a number in [0, 1) that depends on the number of the record and the key."""
    return UNIFORM.format(key=f"number || '{key}'")


def zipf(key: str, count: int) -> str:
    """SQL of a number from 1 to count; the first is 67 times as likely as the hundredth."""
    return f"floor(pow(1 + {uniform(key)} * (pow({count + 1}, 0.1) - 1), 10))::integer"


def write_records(con: duckdb.DuckDBPyConnection, records: int) -> None:
    """Staged records and their attributes."""
    con.execute(
        f"""
        create or replace table stg_businesses as
        select
            printf('r%07d', number) as business_id,
            'Place ' || number as name,
            number || ' Main St' as address,
            'City ' || {zipf("city", CITIES)} as city,
            'S' || {zipf("city", CITIES)} % {STATES} as state,
            '00000' as postal_code,
            40 + {uniform("latitude")} as latitude,
            -75 + {uniform("longitude")} as longitude,
            1 + round(8 * sqrt({uniform("stars")})) / 2 as stars,
            10 as review_count,
            if({uniform("open")} < 0.8, 'true', 'false') as is_open,
            list_distinct([
                'Kind ' || {zipf("kind 1", CATEGORIES)}, 'Kind ' || {zipf("kind 2", CATEGORIES)},
                'Kind ' || {zipf("kind 3", CATEGORIES)}, 'Kind ' || {zipf("kind 4", CATEGORIES)},
                'Kind ' || {zipf("kind 5", CATEGORIES)}
            ]) as categories
        from range({records}) as numbers (number)
        """
    )
    # The fields of the seeds; the less a field weighs, the rarer it is known.
    con.execute(
        f"""
        create or replace table record_attributes as
        with field_values as (
            select
                field, weight,
                list(distinct value order by value) || if(
                    bool_or(value = 'true'), ['false'], ['other']
                ) as values,
                0.001 + 0.75 * pow(least(weight, 1), 1.5) as coverage
            from value_rules inner join field_tiers using (field)
            where tier in ('high_value', 'supplementary') and operator = '='
            group by field, weight
        )
        select
            printf('r%07d', number) as record_id, field, field as attribute_key,
            values[1 + floor({UNIFORM.format(key="number || field || 'value'")} * len(values))::int]
                as raw_value,
            raw_value as value
        from range({records}) as numbers (number), field_values
        where {UNIFORM.format(key="number || field")} < coverage
        """
    )


def load(con: duckdb.DuckDBPyConnection, records: int) -> None:
    """The sources of so many records."""
    write_records(con, records)
    con.execute(
        "create or replace table stg_field_rules (field varchar, tier varchar, weight double, "
        "operator varchar, value varchar, probability double, phrase varchar, negation varchar)"
    )
    build(con, ATTRIBUTE_MODELS)
    give_every_source(con)


def measure(con: duckdb.DuckDBPyConnection, rounds: int) -> dict[str, float]:
    """Seconds of each model, the least of some rounds."""
    environ = {"HETERQA_QUESTIONS": str(QUESTIONS)}
    seconds: dict[str, float] = {}
    for _ in range(rounds):
        for model in (*BEFORE, *INITIALIZE):
            started = time.perf_counter()
            build(con, [model], environ, attempts_per_slot=ATTEMPTS)
            taken = time.perf_counter() - started
            seconds[model] = min(taken, seconds.get(model, taken))
    return seconds


def frequencies(con: duckdb.DuckDBPyConnection) -> int:
    """Print how what many attempts draw compares with the rules; 1 when it is not chance."""
    environ = {"HETERQA_QUESTIONS": str(DRAWN_ATTEMPTS)}
    models = (*BEFORE, "attempts", "constraint_draws")
    build(con, models, environ, attempts_per_slot=1, constraint_draws=1)
    title = f"drawn by {DRAWN_ATTEMPTS:,} attempts"
    print(f"{title:<28}{'number':>8}{'cells':>7}{'chi2':>8}{'p':>10}")
    found = compare(con)
    for test in found:
        print(
            f"{test.name:<28}{test.drawn:>8,}{test.cells:>7}{test.statistic:>8.1f}"
            f"{test.probability:>10.6f}"
        )
    least = min(found, key=lambda test: test.probability)
    wanted = Limit(
        f"no p below {LEAST_PROBABILITY:.6f}",
        f"{least.probability:.6f} for {least.name}",
        least.probability >= LEAST_PROBABILITY,
    )
    return hold_to([wanted])


def limits(seconds: dict[int, float]) -> list[Limit]:
    """What the attempts are held to, by the number of records; one number has no ratio to hold."""
    least, most = min(seconds), max(seconds)
    wanted = [
        Limit(
            f"{QUESTIONS * ATTEMPTS:,} attempts at {most:,} records under {MOST_SECONDS} s",
            f"{seconds[most]:.1f} s",
            seconds[most] < MOST_SECONDS,
        )
    ]
    if least < most:
        ratio = seconds[most] / seconds[least]
        wanted.append(
            Limit(
                f"at most {MOST_RATIO} times the cost at {least:,} records",
                f"{ratio:.2f} times",
                ratio <= MOST_RATIO,
            )
        )
    return wanted


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, nargs="+", default=SIZES, help="the sizes")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--frequencies", action="store_true", help="test what is drawn instead")
    given = parser.parse_args()
    columns = {}
    with tempfile.TemporaryDirectory() as folder:
        con = connection(Path(folder), given.threads)
        if given.frequencies:
            load(con, min(given.records))
            return frequencies(con)
        for records in sorted(set(given.records)):
            load(con, records)
            columns[records] = measure(con, given.rounds)
    print(f"{'seconds at':<20}" + "".join(f"{records:>12,}" for records in columns))
    for model in (*BEFORE, *INITIALIZE):
        name = model.rsplit("/", 1)[-1]
        print(f"{name:<20}" + "".join(f"{column[model]:>12.2f}" for column in columns.values()))
    for title, models in (("once a collection", BEFORE), ("attempts", INITIALIZE)):
        sums = [sum(column[model] for model in models) for column in columns.values()]
        print(f"{title:<20}" + "".join(f"{seconds:>12.2f}" for seconds in sums))
    attempts = QUESTIONS * ATTEMPTS
    print(f"{'ms an attempt':<20}" + "".join(f"{1000 * s / attempts:>12.2f}" for s in sums))
    return hold_to(limits(dict(zip(columns, sums, strict=True))))


if __name__ == "__main__":
    raise SystemExit(main())
