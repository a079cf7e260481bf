"""`make run` end to end on a small dbt project: its output, its files, and every bad input."""

from __future__ import annotations

import fcntl
import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from dagster_defs.commands.clean import clean
from dagster_defs.inputs.files import describe_inputs
from dagster_defs.outputs import release
from dagster_defs.outputs.validate import ReleaseError, Secrets, validate_release
from tests.support.small_repo import SmallRepo
from udfs.warehouse.errors import UserError
from udfs.warehouse.places import REPO
from udfs.warehouse.settings import Settings, user_settings, variable


@pytest.fixture(scope="session")
def built(small_repo: SmallRepo) -> subprocess.CompletedProcess[str]:
    """The first build of the small repository."""
    result = small_repo.build()
    assert result.returncode == 0, result.stdout + result.stderr
    return result


def published_attempts(repo: SmallRepo) -> int:
    with duckdb.connect(repo.warehouse / "heterqa.duckdb", read_only=True) as connection:
        (count,) = connection.execute("select count(*) from construction.attempts").fetchone() or (
            0,
        )
    return count


def test_help_lists_every_setting(small_repo: SmallRepo) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "dagster_defs.commands.build", "--help"],
        cwd=REPO,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in user_settings():
        assert variable(name) in result.stdout


def test_progress_and_summary(built: subprocess.CompletedProcess[str]) -> None:
    assert built.stderr == ""
    for expected in (
        "31/31",
        "construction.certified_questions",
        "31 tables built, 4 tests passed",
        "bm25",
        "recall@10",
        "S+T",
        "1 of 3 questions certified; models asked 3 times, 4 answers reused",
        "What ended the attempts at the others: too many candidates (1)",
        "where qid = 'q-1' and business_id = 'r-1'",
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


def test_report_needs_nothing_and_escapes_everything(
    built: subprocess.CompletedProcess[str], small_repo: SmallRepo
) -> None:
    page = (small_repo.warehouse / "report.html").read_text(encoding="utf-8")
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


def edit_line(file: str, **changes: object) -> Callable[[Path], None]:
    """An edit of a release: changed members of a file's first line."""

    def edit(folder: Path) -> None:
        lines = (folder / file).read_text(encoding="utf-8").splitlines()
        lines[0] = json.dumps(json.loads(lines[0]) | changes)
        (folder / file).write_text("\n".join(lines) + "\n", encoding="utf-8")

    return edit


def repeat_line(file: str) -> Callable[[Path], None]:
    """An edit of a release: a file's last line once more."""

    def edit(folder: Path) -> None:
        text = (folder / file).read_text(encoding="utf-8")
        (folder / file).write_text(text + text.splitlines()[-1] + "\n", encoding="utf-8")

    return edit


def replace_in(file: str, old: str, new: str) -> Callable[[Path], None]:
    """An edit of a release: one text for another."""

    def edit(folder: Path) -> None:
        text = (folder / file).read_text(encoding="utf-8")
        assert old in text
        (folder / file).write_text(text.replace(old, new), encoding="utf-8")

    return edit


BROKEN_RELEASES = {
    "an empty question": (edit_line(release.QUERIES, query=""), "line 1: .* non-empty|too short"),
    "a column too many": (edit_line(release.QUERIES, review="x"), "line 1: .*review"),
    "a repeated question": (repeat_line(release.QUERIES), "q-1 appears more than once"),
    "a repeated answer row": (repeat_line(release.ANSWERS), "q-1 appears more than once"),
    "a wrong count": (edit_line(release.QUERIES, answer_count=3), "counts of q-1 disagree"),
    "another subset": (edit_line(release.QUERIES, subset="Image"), "subset of q-1"),
    "an answer twice": (
        edit_line(release.ANSWERS, answer_business_ids=["r-1", "r-1"]),
        "counts of q-1 disagree",
    ),
    "a question without answers": (edit_line(release.QUERIES, qid="q-2"), "is not in both"),
    "a pair that is no answer": (replace_in(release.QRELS, "r-2", "r-3"), "is not in both"),
    "a pair twice": (repeat_line(release.QRELS), "appears more than once"),
    "a score of 2": (replace_in(release.QRELS, "r-2\t1", "r-2\t2"), "line 3: .*score 1"),
    "another header": (replace_in(release.QRELS, "corpus-id", "corpus_id"), "header"),
    "evidence outside": (edit_line(release.EVIDENCE, business_id="r-9"), "is not an answer"),
    "no field evidence": (edit_line(release.EVIDENCE, family="text"), "has no record_field"),
    "raw content": (edit_line(release.EVIDENCE, raw_content_released=True), "line 1"),
    "a raw text": (edit_line(release.EVIDENCE, details={"text": "We loved it"}), "raw text"),
    "a long string": (edit_line(release.EVIDENCE, claim_summary="x" * 1401), "line 1"),
    "a long detail": (edit_line(release.EVIDENCE, details={"a": ["x" * 1401]}), "1401 characters"),
    "a local path": (
        edit_line(release.EVIDENCE, details={"file": "/data/yelp/tip.json"}),
        "line 1: a local path in file",
    ),
    "a photo file": (
        edit_line(release.EVIDENCE, claim_summary="See photos/-p_1.JPG."),
        "line 1: a photo's file name in claim_summary",
    ),
    "a short stem": (
        edit_line(release.EVIDENCE, source_locator_type="photo_id_stem", source_locator="a b"),
        "URL-safe",
    ),
    "a wrong total": (replace_in(release.MANIFEST, '"query_count": 1', '"query_count": 2'), "is 2"),
    "no JSON": (replace_in(release.ANSWERS, '{"qid"', '{"qid'), "line 1: is not JSON"),
}


@pytest.mark.parametrize("fault", BROKEN_RELEASES)
def test_a_broken_release_is_refused(
    fault: str, built: subprocess.CompletedProcess[str], small_repo: SmallRepo, tmp_path: Path
) -> None:
    folder = tmp_path / "release"
    shutil.copytree(small_repo.warehouse / "release", folder)
    secrets = Secrets(["/data/yelp"], {"-p_1"})
    validate_release(folder, secrets)
    edit, message = BROKEN_RELEASES[fault]
    edit(folder)
    with pytest.raises(ReleaseError, match=message):
        validate_release(folder, secrets)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Is it near /etc/passwd, or C:\\temp\\x?", None),
        ("Like the place a.jpg, or IMG_1.png?", None),
        ("file:///srv", None),
        ("bread and/data/yelps", None),
        ("/data/yelp", "a local path"),
        ("in (/data/yelp/review.json)", "a local path"),
        ("file:///data/yelp/x", "a local path"),
        ("Like p-1, or p-1.pdf, or xp-1.jpg?", None),
        ("p-1.jpg", "a photo's file name"),
        ("a.jpg photos/p-1.jpeg.", "a photo's file name"),
        ("two words.PNG", "a photo's file name"),
    ],
)
def test_only_what_the_collection_has_is_a_secret(text: str, secret: str | None) -> None:
    assert Secrets(["/data/yelp"], {"p-1", "two words"}).find(text) == secret


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"HETERQA_DATA": "{root}/none"}, "error: HETERQA_DATA: there is no folder {root}/none;"),
        ({"HETERQA_DATA": "{root}/Makefile"}, "error: HETERQA_DATA: {root}/Makefile is a file;"),
        ({"HETERQA_DATA": "{root}/seeds"}, "error: HETERQA_DATA: {root}/seeds lacks yelp_"),
        ({"HETERQA_PROFILE": "nope"}, "error: HETERQA_PROFILE: there is no profile 'nope';"),
        ({"HETERQA_QUESTIONS": "ten"}, "error: HETERQA_QUESTIONS: 'ten' is not a whole number;"),
        ({"HETERQA_SEED": "7.0"}, "error: HETERQA_SEED: '7.0' is not a whole number;"),
        ({"HETERQA_THREADS": "two"}, "error: HETERQA_THREADS: 'two' is not a whole number;"),
        (
            {"HETERQA_WAREHOUSE": "{root}/Makefile/warehouse"},
            "error: HETERQA_WAREHOUSE: cannot write to {root}/Makefile/warehouse (not a directory)",
        ),
    ],
)
def test_bad_input_ends_in_one_sentence(
    settings: dict[str, str],
    sentence: str,
    built: subprocess.CompletedProcess[str],
    small_repo: SmallRepo,
) -> None:
    root = str(small_repo.root)
    (small_repo.root / "Makefile").touch()
    published = small_repo.warehouse / "heterqa.duckdb"
    before = published.stat()
    result = small_repo.build(**{k: v.format(root=root) for k, v in settings.items()})
    assert result.returncode == 2
    assert result.stderr.startswith(sentence.format(root=root))
    assert result.stderr.count("\n") == 1
    assert published.stat() == before


def test_a_second_build_is_told_who_builds(small_repo: SmallRepo) -> None:
    small_repo.warehouse.mkdir(exist_ok=True)
    with (small_repo.warehouse / "build.lock").open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.truncate(0)
        file.write("process 4242\n(started 2024-05-06 07:08:09+00:00)\n")
        file.flush()
        result = small_repo.build()
        file.truncate(0)
    assert result.returncode == 2
    assert result.stderr == (
        f"error: the warehouse {small_repo.warehouse} is being built by process 4242 "
        "(started 2024-05-06 07:08:09+00:00); wait for it or stop it\n"
    )


def test_an_open_build_file_is_explained(
    built: subprocess.CompletedProcess[str], small_repo: SmallRepo
) -> None:
    with duckdb.connect(small_repo.warehouse / "build.duckdb"):
        result = small_repo.build()
    assert result.returncode == 2
    assert f"build.duckdb is open in process {os.getpid()}; close it there" in result.stderr


def test_failed_audits_and_models_are_explained_and_nothing_is_published(
    built: subprocess.CompletedProcess[str], small_repo: SmallRepo, tmp_path: Path
) -> None:
    repo = SmallRepo(tmp_path / "repo")
    shutil.copytree(small_repo.root, repo.root)
    model = repo.root / "models" / "retrieval" / "runs.sql"
    model.write_text(model.read_text().replace("qid,", "no_such_column,"))
    repo.write_collection("b-1", "b-2", "bad")
    release_before = (repo.warehouse / "release" / "data" / "queries.jsonl").stat()

    result = repo.build()

    assert result.returncode == 1
    assert "audit every_question_is_answered failed: found 1 rows that must not be" in result.stderr
    assert "its SQL: " in result.stderr
    assert "retrieval.runs failed: Binder Error: " in result.stderr
    assert "no_such_column" in result.stderr
    assert "models/retrieval/runs.sql" in result.stderr
    assert "Traceback" not in result.stderr
    assert "heterqa.duckdb is as it was" in result.stderr
    for line in result.stderr.splitlines():
        if line.strip().startswith("its SQL: "):
            assert Path(line.split(": ", 1)[1]).is_file()
    assert published_attempts(repo) == 2
    assert (repo.warehouse / "release" / "data" / "queries.jsonl").stat() == release_before


def test_a_build_without_a_question_is_no_success(
    built: subprocess.CompletedProcess[str], small_repo: SmallRepo, tmp_path: Path
) -> None:
    repo = SmallRepo(tmp_path / "repo")
    shutil.copytree(small_repo.root, repo.root)
    before = (repo.warehouse / "heterqa.duckdb").stat()
    release_before = (repo.warehouse / "release" / "data" / "queries.jsonl").stat()
    model = repo.root / "models" / "construction" / "certified_questions.sql"
    model.write_text(model.read_text() + " and false\n")
    (repo.root / "tests" / "audits" / "every_question_is_answered.sql").unlink()

    result = repo.build()

    assert result.returncode == 1
    assert result.stderr == (
        "error: none of the 3 wanted questions could be certified, so nothing is published; "
        "what ended the attempts: too many candidates (2)\n"
        f"{repo.warehouse}/heterqa.duckdb is as it was.\n"
    )
    assert (repo.warehouse / "heterqa.duckdb").stat() == before
    assert (repo.warehouse / "release" / "data" / "queries.jsonl").stat() == release_before


def test_a_release_that_breaks_a_rule_is_not_published(
    built: subprocess.CompletedProcess[str], small_repo: SmallRepo, tmp_path: Path
) -> None:
    repo = SmallRepo(tmp_path / "repo")
    shutil.copytree(small_repo.root, repo.root)
    queries, published = (
        repo.warehouse / "release" / "data" / "queries.jsonl",
        repo.warehouse / "heterqa.duckdb",
    )
    before = queries.stat(), published.stat()
    model = repo.root / "models" / "construction" / "questions.sql"
    model.write_text(model.read_text().replace("Which", f"{repo.data}/x: which"))

    result = repo.build()

    assert result.returncode == 1
    assert result.stderr.startswith("error: data/queries.jsonl, line 1: a local path in query")
    assert result.stderr.endswith(f"\n{published} is as it was.\n")
    assert result.stderr.count("\n") == 2
    assert (queries.stat(), published.stat()) == before


def test_a_name_that_looks_like_a_file_stops_no_release(
    built: subprocess.CompletedProcess[str], small_repo: SmallRepo
) -> None:
    queries = small_repo.warehouse / "release/data/queries.jsonl"
    assert "near /etc/x or a.jpg takes" in queries.read_text(encoding="utf-8")


def test_a_folder_in_the_place_of_a_file_is_named(
    built: subprocess.CompletedProcess[str], small_repo: SmallRepo, tmp_path: Path
) -> None:
    warehouse = tmp_path / "warehouse"
    (warehouse / "report.html" / "inside").mkdir(parents=True)
    result = small_repo.build(HETERQA_WAREHOUSE=str(warehouse))
    assert result.returncode == 1
    assert result.stderr.startswith(f"error: {warehouse}/.report.html.")
    assert result.stderr.endswith(": is a directory\n")
    assert result.stderr.count("\n") == 1


def test_a_damaged_file_is_named(
    built: subprocess.CompletedProcess[str], small_repo: SmallRepo, tmp_path: Path
) -> None:
    shutil.copytree(small_repo.data, tmp_path / "collection")
    file = tmp_path / "collection" / "yelp_academic_dataset_review.json"
    file.unlink()
    damaged = file.with_name(f"{file.name}.gz")
    damaged.write_bytes(gzip.compress(b"{}\n" * 1000)[:-9])
    published = small_repo.warehouse / "heterqa.duckdb"
    before = published.stat()

    result = small_repo.build(HETERQA_DATA=str(tmp_path / "collection"))

    assert result.returncode == 2
    assert result.stderr.startswith(f"error: {damaged} is damaged or cut off (")
    assert result.stderr.endswith(f"; fetch it again\n{published} is as it was.\n")
    assert result.stderr.count("\n") == 2
    assert published.stat() == before


def test_a_file_that_may_not_be_read_is_named(
    small_repo: SmallRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    settings = Settings.from_env(
        {"HETERQA_WAREHOUSE": str(tmp_path), "HETERQA_DATA": str(small_repo.data)}
    )
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(UserError, match=r"business\.json cannot be read \(permission denied\)"):
        describe_inputs(settings)
    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(UserError, match=r"collection cannot be read \(permission denied\)"):
        describe_inputs(settings)


def test_clean_keeps_decisions(
    built: subprocess.CompletedProcess[str], small_repo: SmallRepo, tmp_path: Path
) -> None:
    warehouse = tmp_path / "warehouse"
    shutil.copytree(small_repo.warehouse, warehouse)
    (warehouse / "decisions").mkdir()
    (warehouse / "estimate").mkdir()
    (warehouse / "notes.txt").touch()
    clean(Settings.from_env({"HETERQA_WAREHOUSE": str(warehouse)}))
    assert sorted(path.name for path in warehouse.iterdir()) == [
        "build.lock",
        "decisions",
        "notes.txt",
    ]


def test_ctrl_c_ends_a_build_at_once(
    built: subprocess.CompletedProcess[str], small_repo: SmallRepo
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "dagster_defs.commands.build"],
        cwd=small_repo.root,
        env=small_repo.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A test run in the background would hand down that Ctrl-C is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        assert process.stdout
        for line in process.stdout:
            if "1/31" in line:
                process.send_signal(signal.SIGINT)
                break
        _, errors = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 130
    assert errors == "\nstopped; the answers so far are kept for the next `make run`\n"
