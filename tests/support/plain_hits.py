"""What the models of the nearest entries to recover from say, as one plain statement."""

from __future__ import annotations

from tests.support.render import render

# As a person would write it.
PLAIN_HITS = render(
    """
    with queries as (
        select claim_id, 'for' as direction, claim as sentence from field_claims
        union all
        select claim_id, 'against' as direction, negation as sentence from field_claims
    ),

    passages as (
        select
            queries.claim_id,
            queries.direction,
            corpus_entries.source,
            corpus_entries.entry_id,
            entry_vectors.passage_number,
            corpus_entries.record_id,
            recovery_pairs.is_known,
            {{ similarity('claim_vectors.vector', 'entry_vectors.vector') }} as similarity,
        from queries
        inner join claim_vectors on claim_vectors.content = queries.sentence
        inner join corpus_entries on corpus_entries.source in ('text', 'photo')
        inner join entry_vectors on entry_vectors.entry_id = corpus_entries.entry_id
        inner join recovery_pairs on recovery_pairs.claim_id = queries.claim_id
        where recovery_pairs.record_id = corpus_entries.record_id and similarity is not null
    ),

    entries as (
        select * from passages
        qualify row_number() over (
            partition by claim_id, direction, entry_id
            order by similarity desc, passage_number asc
        ) = 1
    )

    select * exclude (is_known) from entries
    qualify row_number() over (
        partition by claim_id, direction, source, is_known order by similarity desc, entry_id asc
    ) <= $depth
    order by all
    """
)
