{#-
    The request key of one judgement. channel: 'text' and 'graph' ask the judge, 'photo' the photo
    judge. source_id is the photo_id for photos, and enters for photos only: the judge is asked about
    the photo itself, so the content of its file is part of the request, if there is a file.
-#}
{% macro judge_key(task, channel, claim, content, source_id) -%}
    md5(to_json([
        if(
            {{ channel }} = 'photo',
            model_signature('photo_judge', '{{ task }}'), model_signature('judge', '{{ task }}')
        ),
        {{ claim }}, {{ content }},
        if(
            {{ channel }} = 'photo',
            'photo:' || {{ source_id }} || coalesce((
                select ' ' || files.content_hash
                from {{ ref('stg_photo_files') }} as files
                where files.photo_id = {{ source_id }}
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


{#- The columns of a judgement request; relation has channel, claim, content, source_id. -#}
{% macro judge_requests(task, relation) -%}
    select distinct
        request_key,
        '{{ task }}' as task,
        if(channel = 'photo', 'photo', 'text') as channel,
        claim,
        content,
        if(channel = 'photo', source_id || '.jpg', null) as photo_path,
    from {{ relation }}
{%- endmacro %}
