{#-
    The request key of one judgement. channel: 'text' and 'graph' ask the judge, 'photo' the photo
    judge. evidence_id enters for photos only: the photo is part of what is asked, and so is what its
    file holds, if there is one.
-#}
{% macro judge_key(task, channel, claim, content, evidence_id) -%}
    md5(to_json([
        if(
            {{ channel }} = 'photo',
            model_signature('photo_judge', '{{ task }}'), model_signature('judge', '{{ task }}')
        ),
        {{ claim }}, {{ content }},
        if(
            {{ channel }} = 'photo',
            {{ evidence_id }} || coalesce((
                select ' ' || files.content_hash
                from {{ ref('stg_photo_files') }} as files
                where 'photo:' || files.photo_id = {{ evidence_id }}
            ), ''),
            null
        )
    ])::varchar)
{%- endmacro %}


{#- The answering expression of a judgement over the columns of judge_requests. -#}
{% macro judge_answer() -%}
    case
        when channel = 'photo' then judge_photo(request_key, task, claim, content, photo_path)
        else judge_text(request_key, task, claim, content)
    end
{%- endmacro %}


{#- The columns of a judgement request; relation has channel, claim, content, evidence_id. -#}
{% macro judge_requests(task, relation) -%}
    select distinct
        request_key,
        '{{ task }}' as task,
        if(channel = 'photo', 'photo', 'text') as channel,
        claim,
        content,
        if(channel = 'photo', substr(evidence_id, 7) || '.jpg', null) as photo_path,
    from {{ relation }}
{%- endmacro %}
