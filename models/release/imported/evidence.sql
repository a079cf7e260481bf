-- No row: an imported release is evaluated, and its evidence is not read.
with final as (
    select
        null::varchar as qid,
        null::varchar as record_id,
        null::varchar as family,
        null::varchar as support_status,
        null::varchar as claim_summary,
        null::varchar as source_locator_type,
        null::varchar as source_locator,
        null::varchar as verification_method,
        null::double as confidence,
        null::boolean as raw_content_released,
        null::json as details,
    where false
)

select * from final
