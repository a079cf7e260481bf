-- One row per attempt and constraint of H: its parts, said in one claim and one phrase.
with constraint_parts as (select * from {{ ref('constraint_parts') }}),

constraints as (
    select
        constraint_id,
        attempt_id,
        source,
        count(*) as part_count,
        min(claim) filter (where part_kind = 'claim') as claim,
        min(phrase) filter (where source != 'graph') as phrase,
        string_agg(phrase, ' and ' order by phrase) filter (where part_kind in ('has', 'bridge'))
            as praised,
        string_agg(phrase, ' and ' order by phrase) filter (where part_kind = 'trait') as traits,
        string_agg(phrase, ' and ' order by phrase) filter (where part_kind = 'avoid') as avoided,
    from constraint_parts
    group by constraint_id, attempt_id, source
),

phrased as (
    select
        constraint_id,
        attempt_id,
        source,
        part_count,
        claim,
        coalesce(
            phrase,
            'is praised for its ' || praised
            || coalesce(' by people who also like ' || traits, '')
            || coalesce(' and draws no complaints about its ' || avoided, '')
        ) as phrase,
    from constraints
),

final as (
    select
        constraint_id,
        attempt_id,
        source,
        coalesce(claim, 'It ' || phrase || '.') as claim,
        phrase,
        part_count,
    from phrased
)

select * from final
