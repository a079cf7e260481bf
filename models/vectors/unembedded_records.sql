-- One row per record with a text or caption of which some passage has no vector, because the call
-- failed: no search finds that passage, and it might have said anything.
with entry_vectors as (select * from {{ ref('entry_vectors') }}),

final as (
    select distinct record_id
    from entry_vectors
    where source in ('text', 'photo') and vector is null
)

select * from final
