"""Metrics equal ir_measures on random runs with ties, missing questions and unknown records."""

import random

import duckdb
import ir_measures
import pytest
from ir_measures import RR, R, Success

from tests.support.render import render

METRICS = {"hit@5": Success @ 5, "recall@10": R @ 10, "mrr@10": RR @ 10}
RECORDS = [f"{letter}{number}" for letter in ("a", "B", "é", "東", "-") for number in range(8)]
QUESTIONS = [f"q{number}" for number in range(12)] + ["1", "g-2"]

Run = dict[str, dict[str, float]]
Qrels = dict[str, set[str]]


def measured(runs: dict[str, Run], qrels: Qrels) -> dict[tuple[str, str, str], float]:
    """The macro's values, keyed by run, qid and metric."""
    con = duckdb.connect()
    # The run's own ranks, which no metric reads, say nothing true here.
    con.execute(
        "create table runs (run varchar, qid varchar, record_id varchar, score double, "
        "rank integer default 99)"
    )
    con.execute("create table qrels (qid varchar, record_id varchar)")
    con.execute("create table queries (qid varchar)")
    rows = [
        (name, qid, record, score)
        for name, run in runs.items()
        for qid, scores in run.items()
        for record, score in scores.items()
    ]
    if rows:
        con.executemany("insert into runs (run, qid, record_id, score) values (?, ?, ?, ?)", rows)
    pairs = [(qid, record) for qid, records in qrels.items() for record in sorted(records)]
    if pairs:
        con.executemany("insert into qrels values (?, ?)", pairs)
    con.executemany("insert into queries values (?)", [(qid,) for qid in qrels])
    return metrics_of(con)


def metrics_of(con: duckdb.DuckDBPyConnection) -> dict[tuple[str, str, str], float]:
    metrics = render("{{ question_metrics('runs', 'qrels', 'queries') }}")
    values = con.execute(f"select run, qid, metric, value from {metrics}").fetchall()
    return {(run, qid, metric): value for run, qid, metric, value in values}


def ordered(run: Run) -> Run:
    """The same order by scores that cannot tie, because ir_measures breaks ties in its own way."""
    return {
        qid: {
            record: -float(place)
            for place, record in enumerate(sorted(scores, key=lambda key: (-scores[key], key)))
        }
        for qid, scores in run.items()
    }


def random_case(seed: int) -> tuple[Run, Qrels]:
    draw = random.Random(seed)
    qrels = {qid: set(draw.sample(RECORDS, draw.randint(1, 10))) for qid in QUESTIONS}
    asked = [*draw.sample(QUESTIONS, len(QUESTIONS) - 3), "never asked"]
    run = {
        qid: {
            record: draw.choice([0.0, 0.25, 0.5, draw.random()])
            for record in draw.sample([*RECORDS, "unknown", "z"], draw.randint(1, 30))
        }
        for qid in asked
    }
    return run, qrels


@pytest.mark.parametrize("seed", range(25))
def test_equals_ir_measures(seed: int) -> None:
    run, qrels = random_case(seed)
    ours = measured({"random": run}, qrels)
    judged = {qid: dict.fromkeys(records, 1) for qid, records in qrels.items()}
    theirs = {
        (value.query_id, value.measure): value.value
        for value in ir_measures.iter_calc(METRICS.values(), judged, ordered(run))
    }
    means = ir_measures.calc_aggregate(METRICS.values(), judged, ordered(run))

    assert len(ours) == len(QUESTIONS) * len(METRICS)
    for name, measure in METRICS.items():
        values = {qid: ours["random", qid, name] for qid in QUESTIONS}
        for qid, value in values.items():
            assert value == pytest.approx(theirs.get((qid, measure), 0.0), abs=1e-9)
        assert sum(values.values()) / len(values) == pytest.approx(means[measure], abs=1e-9)


def test_ties_go_to_the_smaller_record() -> None:
    run = {"q": dict.fromkeys(["c", "é", "b", "a", "d", "e"], 0.5)}
    ours = measured({"tied": run}, {"q": {"é"}})
    assert ours["tied", "q", "mrr@10"] == pytest.approx(1 / 6)
    assert ours["tied", "q", "hit@5"] == 0


@pytest.mark.parametrize("rank", ["number", "99", "12 - number"], ids=["0-based", "99", "reversed"])
def test_ranks_come_from_scores_alone(rank: str) -> None:
    """Of 12 rows, the sixth is the only answer that counts; the eleventh is too far down."""
    con = duckdb.connect()
    con.execute(
        "create table runs as select 'run' as run, 'q' as qid, 'r' || number as record_id, "
        f"1.0 / (number + 1) as score, {rank} as rank from range(12) as numbers (number)"
    )
    con.execute("create table qrels as select 'q' as qid, unnest(['r5', 'r10']) as record_id")
    con.execute("create table queries as select 'q' as qid")
    assert metrics_of(con) == {
        ("run", "q", "hit@5"): 0,
        ("run", "q", "recall@10"): 0.5,
        ("run", "q", "mrr@10"): pytest.approx(1 / 6),
    }


@pytest.mark.parametrize("seed", range(5))
def test_answers_as_a_run_score_exactly_one(seed: int) -> None:
    _, qrels = random_case(seed)
    gold = {qid: dict.fromkeys(records, 1.0) for qid, records in qrels.items()}
    assert set(measured({"gold": gold}, qrels).values()) == {1.0}


def test_missing_question_counts_zero() -> None:
    ours = measured({"run": {"q1": {"a": 1.0}}}, {"q1": {"a"}, "q2": {"a"}})
    assert {ours["run", "q2", metric] for metric in METRICS} == {0.0}


def test_runs_do_not_touch_each_other() -> None:
    first, qrels = random_case(1)
    second = random_case(2)[0]
    both = measured({"x": first, "y": second}, qrels)
    assert both == measured({"x": first}, qrels) | measured({"y": second}, qrels)


def test_no_runs_no_values() -> None:
    assert measured({}, {"q1": {"a"}}) == {}


def test_question_without_answers_is_an_error() -> None:
    with pytest.raises(duckdb.InvalidInputException, match="q2 has no answer"):
        measured({"run": {"q1": {"a": 1.0}}}, {"q1": {"a"}, "q2": set()})
