-- One row per record with a text or caption of which some passage has no vector, because the call
-- failed: no search finds that passage, whatever it says about the record.
with entry_vectors as (select * from {{ ref('entry_vectors') }}),

final as (
    select distinct record_id
    from entry_vectors
    where source in ('text', 'photo') and vector is null
)

select * from final
