"""What a build of the small repository says and writes."""

from __future__ import annotations

import json
import re
import subprocess

import duckdb

from tests.support.small_repo import SmallRepo


def test_progress_and_summary(built: subprocess.CompletedProcess[str]) -> None:
    assert built.stderr == ""
    for expected in (
        "33/33",
        "construction.certified_questions",
        "33 tables built, 4 tests passed",
        "bm25",
        "recall@10",
        "S+T",
        "1 of 3 questions certified; models asked 3 times, 4 answers reused",
        "What ended the attempts at the others: too many candidates (1)",
        "where qid = 'q-1' and record_id = 'r-1'",
    ):
        assert expected in built.stdout


def test_the_query_of_the_summary_explains_an_answer(
    built: subprocess.CompletedProcess[str], small_repo: SmallRepo
) -> None:
    query = built.stdout[built.stdout.index("select claim_summary") :]
    with duckdb.connect(small_repo.warehouse / "heterqa.duckdb", read_only=True) as connection:
        assert connection.execute(query).fetchall() == [
            (
                "It takes reservations.",
                "record_field",
                "record_field",
                "restaurants_reservations",
                1.0,
            )
        ]


def test_run_files(built: subprocess.CompletedProcess[str], small_repo: SmallRepo) -> None:
    assert (small_repo.warehouse / "runs" / "bm25.trec").read_text() == (
        "q-1 Q0 r-1 1 1.0 bm25\nq-1 Q0 r-2 2 0.5 bm25\n"
    )


def test_the_points_are_written(
    built: subprocess.CompletedProcess[str], small_repo: SmallRepo
) -> None:
    assert (small_repo.warehouse / "record_points.parquet").read_bytes().startswith(b"PAR1")


def test_report_needs_nothing_and_escapes_everything(
    built: subprocess.CompletedProcess[str], small_repo: SmallRepo
) -> None:
    page = (small_repo.warehouse / "report.html").read_text(encoding="utf-8")
    assert re.search(r"\s3 question slots, seed 7\s", page)
    assert "Which &lt;b&gt;place&lt;/b&gt; near /etc/x or a.jpg takes reservations?" in page
    assert "Café &lt;Ünion&gt; &amp; Söhne" in page
    assert "<b>" not in page
    for outside in ("http://", "https://", "src=", "url(", "<script"):
        assert outside not in page
    assert str(small_repo.root) not in page


def test_the_recovery_has_its_picture(
    built: subprocess.CompletedProcess[str], small_repo: SmallRepo
) -> None:
    picture = (small_repo.warehouse / "recovery_audit.svg").read_text(encoding="utf-8")
    assert "&lt;b&gt;&#34;pets&#34; &amp; more&lt;/b&gt;" in picture
    assert "<b>" not in picture
    assert str(small_repo.root) not in picture


def test_release_files(built: subprocess.CompletedProcess[str], small_repo: SmallRepo) -> None:
    folder = small_repo.warehouse / "release"
    assert sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()) == [
        "data/answers.jsonl",
        "data/evidence.jsonl",
        "data/qrels/test.tsv",
        "data/queries.jsonl",
        "data/source_manifest.json",
        "schemas/answer.schema.json",
        "schemas/evidence.schema.json",
        "schemas/query.schema.json",
    ]
    assert (folder / "data/answers.jsonl").read_text(encoding="utf-8") == (
        '{"qid":"q-1","answer_business_ids":["r-1","r-2"],'
        '"answer_business_names":["Café <Ünion> & Söhne","Plain Place"],'
        '"answer_count":2,"source_case_category":"Text"}\n'
    )
    assert (folder / "data/qrels/test.tsv").read_bytes() == (
        b"query-id\tcorpus-id\tscore\nq-1\tr-1\t1\nq-1\tr-2\t1\n"
    )
    evidence = (folder / "data/evidence.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(evidence[0])["details"] == {"operator": "=", "value": "trüe"}
    manifest = json.loads((folder / "data/source_manifest.json").read_text())
    assert (manifest["query_count"], manifest["answer_pair_count"]) == (1, 2)
    assert manifest["raw_content_released"] is False
    assert manifest["source_url"].startswith("urn:sha256:")
    assert manifest["source_files"]["business"]["lines"] == 2


def test_a_name_that_looks_like_a_file_stops_no_release(
    built: subprocess.CompletedProcess[str], small_repo: SmallRepo
) -> None:
    queries = small_repo.warehouse / "release/data/queries.jsonl"
    assert "near /etc/x or a.jpg takes" in queries.read_text(encoding="utf-8")
