"""What the database says of tables of answers, and which models are listed as such."""

from __future__ import annotations

import textwrap

from tests.support.resumable_project import Project

DESCRIBED = """
    version: 2
    sources:
      - name: ledger
        schema: quality
        tables:
          - {name: asked, description: Runs., columns: [{name: model, description: Who asked.}]}
          - {name: answer_tables, description: Tables of answers.}
    models:
      - name: answers
        config: {persist_docs: {relation: true, columns: true}}
        description: "DESCRIPTION of what's asked"
        columns: [{name: content, description: The content.}, {name: gone, description: Nothing.}]
      - name: responses
        columns: [{name: content, description: A content.}, {name: cost, description: Dollars.}]
"""
RESPONSES = """
    {{ config(materialized='view') }}
    -- depends_on: {{ ref('later_answers') }}
    {% for step in heterqa.resumable_models() %}
    select '{{ step.schema }}' as schema_name, '{{ step.name }}' as table_name
    {{ 'union all' if not loop.last }}
    {% endfor %}
"""


def comments(project: Project) -> dict[str, str]:
    return dict(
        project.query(
            "select table_name, comment from duckdb_tables() where comment is not null union all"
            " select table_name || '.' || column_name, comment from duckdb_columns()"
            " where comment is not null"
        )
    )


def test_comments_come_with_the_table_and_its_answers_stay(project: Project) -> None:
    project.run(REQUESTS="5")
    assert comments(project) == {}
    text = textwrap.dedent(DESCRIBED)
    described = project.folder / "models" / "answers.yml"
    expected = {
        "answers.content": "The content.",
        "asked": "Runs.",
        "asked.model": "Who asked.",
        "answer_tables": "Tables of answers.",
    }
    (project.folder / "models" / "responses.sql").write_text("select 1 as cost")
    for number, said in enumerate(("one", "one", "another")):
        described.write_text(text.replace("DESCRIPTION", said), encoding="utf-8")
        status, message, calls = project.run("--select", "answers", REQUESTS=str(5 + number))
        assert (status, len(calls)) == ("success", min(number, 1)), message
        assert comments(project) == expected | {
            "answers": f"{said} of what's asked",
            "answers.cost": "Dollars.",
        }
    assert project.query("select count(*) from main.answers where answer is not null") == [(7,)]


def test_resumable_models_are_listed_by_themselves(project: Project) -> None:
    models = project.folder / "models"
    asking = "{{ config(materialized='resumable', answer='ask(request_key, content)') }}"
    later = f"{asking} select request_key, content from {{{{ ref('answers') }}}}"
    (models / "later_answers.sql").write_text(later)
    (models / "mentions.sql").write_text("select 'é' as request_key, 1 as attempts")
    (models / "responses.sql").write_text(textwrap.dedent(RESPONSES))
    expected = [("main", "answers"), ("main", "later_answers")]
    for _ in range(2):
        outcomes = project.run_all()
        assert {status for status, _ in outcomes.values()} == {"success"}, outcomes
        assert project.query("from responses order by all") == expected
        assert project.query("from quality.answer_tables order by all") == expected

    # One that dbt could make after the list is named with what to write.
    (models / "unread_answers.sql").write_text(later)
    status, message = project.run_all()["responses"]
    assert status == "error"
    assert "lists unread_answers, which may be made after it" in message
    assert "add `-- depends_on: {{ ref('unread_answers') }}` to responses.sql" in message
