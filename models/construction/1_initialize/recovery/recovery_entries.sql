-- One row per text and caption of a record that some claim is tried on, with the numbers that stand
-- for the entry and the record in the search. Of equally near entries, the entry with the lower
-- number is taken first.
with recovery_pairs as (select * from {{ ref('recovery_pairs') }}),

corpus_entries as (select * from {{ ref('corpus_entries') }}),

tried_records as (
    select
        record_id,
        row_number() over (order by record_id) - 1 as record_number,
    from recovery_pairs
    group by record_id
),

final as (
    select
        row_number() over (order by corpus_entries.entry_id) - 1 as entry_number,
        corpus_entries.entry_id,
        corpus_entries.source,
        corpus_entries.record_id,
        tried_records.record_number,
    from corpus_entries
    inner join tried_records using (record_id)
    where corpus_entries.source in ('text', 'photo')
)

select * from final
