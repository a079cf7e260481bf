"""What a certified answer must not rest on, read off requests and raw answers.

Each query of CHECKS is empty for a sound warehouse; the statement of BREAKS with its name makes an
answer that is used fail after all, which the query has to notice.
"""

from __future__ import annotations

CHECKS = {
    "a question whose wording failed": """
        select certified.qid
        from construction.certified_questions as certified
        where certified.question not in (
            select question from construction.question_drafts where error is null
        )
    """,
    "a requirement that was not judged met": """
        with read_praise as (
            select record_id, feature_id
            from sources.kg_mentions
            inner join sources.texts using (text_id, record_id)
            inner join sources.text_features using (content)
            where polarity = 'positive' and text_features.error is null
        ),

        judged as (
            select evidence.part_id, evidence.record_id
            from construction.support_evidence as evidence
            inner join construction.support_judgements as judgements using (request_key)
            where
                judgements.error is null and judgements.verdict = 'yes'
                and judgements.confidence >= 0.7
        )

        select answers.qid, answers.record_id, parts.part_id
        from construction.answer_sets as answers
        inner join construction.constraint_parts as parts using (attempt_id)
        where
            parts.is_judged
            and (parts.part_id, answers.record_id) not in (
                select (part_id, record_id) from judged
            )
            and (answers.record_id, coalesce(parts.feature_id, '')) not in (
                select (record_id, feature_id) from read_praise
            )
    """,
    "a contradiction that nobody could exclude": """
        select attempt_id, record_id
        from construction.answer_sets
        inner join construction.contradiction_evidence as evidence using (attempt_id, record_id)
        left join construction.contradiction_judgements as judgements using (request_key)
        group by attempt_id, record_id, evidence.channel
        having
            count(*) filter (where judgements.error is not null or verdict is distinct from 'no')
            / count(*) > 0.15
    """,
    "praise of what is to be avoided in a text that nobody read": """
        select support.attempt_id, support.record_id
        from construction.support as support
        inner join sources.texts as texts using (record_id)
        left join sources.text_features as features using (content)
        where
            support.part_kind = 'avoid' and support.verdict = 'yes'
            and not texts.is_empty
            and (features.request_key is null or features.error is not null)
    """,
    "a value that was recovered past a failed call": """
        select answers.qid, answers.record_id
        from construction.answer_sets as answers
        inner join construction.constraint_status as status using (attempt_id, record_id)
        left join construction.recovery_evidence as evidence using (claim_id, record_id)
        left join construction.recovery_judgements as judgements using (request_key)
        where status.status = 'recovered'
        group by answers.qid, answers.record_id, status.constraint_id
        having
            count(*) filter (where judgements.error is not null) > 0
            or not coalesce(bool_or(
                evidence.direction = 'for' and not judgements.is_against
                and judgements.confidence >= 0.3
            ), false)
    """,
    "released evidence that was not judged": """
        with judged as (
            select evidence.record_id, evidence.claim, evidence.source_id
            from construction.support_evidence as evidence
            inner join construction.support_judgements as judgements using (request_key)
            where judgements.error is null and judgements.verdict = 'yes'
            union all
            select evidence.record_id, claims.claim, evidence.source_id
            from construction.recovery_evidence as evidence
            inner join construction.field_claims as claims using (claim_id)
            inner join construction.recovery_judgements as judgements using (request_key)
            where
                judgements.error is null and not judgements.is_against
                and evidence.direction = 'for'
        )

        select qid, record_id, source_locator
        from release.evidence as released
        where
            verification_method in (
                'text_judgement', 'photo_judgement', 'missing_value_recovery'
            )
            and not exists (
                select 1
                from judged
                where
                    judged.record_id = released.record_id
                    and judged.claim = released.claim_summary
                    and split_part(judged.source_id, '.', 1)
                    = released.source_locator
            )
    """,
}
BREAKS = {
    "a question whose wording failed": "update construction.question_drafts set error = 'x'",
    "a requirement that was not judged met": (
        "update construction.support_judgements set error = 'x'"
    ),
    "a contradiction that nobody could exclude": (
        "update construction.contradiction_judgements set error = 'x'"
    ),
    "praise of what is to be avoided in a text that nobody read": (
        "update sources.text_features set error = 'x'"
    ),
    "a value that was recovered past a failed call": (
        "update construction.constraint_status set status = 'recovered'"
    ),
    "released evidence that was not judged": (
        "update construction.support_judgements set verdict = 'no'"
    ),
}
