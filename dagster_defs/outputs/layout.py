"""The layout of a release: its files, their columns and their schemas.

It is that of the HeterQA release, which its authors' validator accepts.
"""

from __future__ import annotations

from typing import Any

MAX_STRING = 1400
QRELS_HEADER = ["query-id", "corpus-id", "score"]
QUERIES = "data/queries.jsonl"
ANSWERS = "data/answers.jsonl"
EVIDENCE = "data/evidence.jsonl"
QRELS = "data/qrels/test.tsv"
MANIFEST = "data/source_manifest.json"

Row = dict[str, Any]

# What each file holds: the tables under the names of the published layout, in a total order.
LAYOUT = {
    QUERIES: """
        select qid, query, release_name as subset, answer_count
        from release.queries
        inner join seeds.subset_quotas using (subset)
        order by qid
    """,
    ANSWERS: """
        select
            qid, record_ids as answer_business_ids, record_names as answer_business_names,
            answer_count, release_name as source_case_category
        from release.answers
        inner join seeds.subset_quotas using (subset)
        order by qid
    """,
    EVIDENCE: """
        select
            qid, record_id as business_id, family, support_status, claim_summary,
            source_locator_type, source_locator, verification_method, confidence,
            raw_content_released, details
        from release.evidence
        order by all
    """,
    QRELS: """
        select qid as "query-id", record_id as "corpus-id", score
        from release.qrels
        order by qid, record_id
    """,
}

_TEXT = {"type": "string", "minLength": 1, "maxLength": MAX_STRING}
_COUNT = {"type": "integer", "minimum": 1, "maximum": 10}
_FAMILIES = ["record_field", "text", "image", "geo", "kg", "cross_modal"]


def _schema(title: str, properties: dict[str, Any]) -> Row:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "type": "object",
        "required": list(properties),
        "additionalProperties": False,
        "properties": properties,
    }


SCHEMAS = {
    "schemas/query.schema.json": _schema(
        "A question", {"qid": _TEXT, "query": _TEXT, "subset": _TEXT, "answer_count": _COUNT}
    ),
    "schemas/answer.schema.json": _schema(
        "The answers of a question, from the highest score down",
        {
            "qid": _TEXT,
            "answer_business_ids": {"type": "array", "minItems": 1, "items": _TEXT},
            "answer_business_names": {"type": "array", "minItems": 1, "items": {"type": "string"}},
            "answer_count": _COUNT,
            "source_case_category": _TEXT,
        },
    ),
    "schemas/evidence.schema.json": _schema(
        "One piece of evidence that an answer meets one requirement of its question",
        {
            "qid": _TEXT,
            "business_id": _TEXT,
            "family": {"enum": _FAMILIES},
            "support_status": {"enum": ["passes", "supports"]},
            "claim_summary": _TEXT,
            "source_locator_type": _TEXT,
            "source_locator": _TEXT,
            "verification_method": _TEXT,
            "confidence": {"type": "number"},
            "raw_content_released": {"const": False},
            "details": {"type": ["object", "array", "string", "null"]},
        },
    ),
}
FILE_SCHEMAS = {
    QUERIES: "schemas/query.schema.json",
    ANSWERS: "schemas/answer.schema.json",
    EVIDENCE: "schemas/evidence.schema.json",
}
