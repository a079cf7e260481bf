-- One row per text or photo constraint that was made from a sentence with a planted fact: that
-- fact. A sentence with two facts gives the one that shares more words with the claim; none, no
-- row.
with source_constraints as (select * from {{ ref('source_constraints') }}),

worded_constraints as (select * from {{ ref('worded_constraints') }}),

anchors as (select * from {{ ref('anchors') }}),

truth_sentences as (select * from {{ ref('truth_sentences') }}),

truth_features as (select * from {{ ref('truth_features') }}),

truth_visible as (select * from {{ ref('truth_visible') }}),

names as (
    select distinct
        feature_key as key,
        feature as name,
    from truth_features
    union
    select distinct
        thing_key as key,
        thing as name,
    from truth_visible
),

origins as (
    select
        source_constraints.constraint_id,
        source_constraints.source,
        source_constraints.claim,
        truth_sentences.kind,
        truth_sentences.key,
        len(list_intersect(
            regexp_extract_all(lower(source_constraints.claim), '[a-z]{3,}'),
            regexp_extract_all(
                lower(replace(
                    truth_sentences.key || ' ' || coalesce(names.name, ''), '_', ' '
                )), '[a-z]{3,}'
            )
        )) as shared_words,
    from source_constraints
    inner join worded_constraints
        on
            source_constraints.attempt_id = worded_constraints.attempt_id
            and source_constraints.source = worded_constraints.source
    inner join anchors on source_constraints.attempt_id = anchors.attempt_id
    inner join truth_sentences
        on
            anchors.record_id = truth_sentences.record_id
            and (truth_sentences.source = 'photo') = (source_constraints.source = 'photo')
            and (
                contains(truth_sentences.sentence, worded_constraints.origin_sentence)
                or contains(worded_constraints.origin_sentence, truth_sentences.sentence)
            )
    left join names on truth_sentences.key = names.key
    where truth_sentences.asserted
),

final as (
    select
        constraint_id,
        source,
        kind,
        key,
    from origins
    where shared_words > 0
    qualify row_number() over (
        partition by constraint_id order by shared_words desc, key asc
    ) = 1
)

select * from final
