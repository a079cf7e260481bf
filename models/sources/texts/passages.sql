-- One row per passage of a text: what is embedded and judged. A short text is one passage; a longer
-- one is cut at the ends of sentences into passages of about equal length, so that the embedder
-- reads each to its end. Lengths are in bytes: in every script about three make a token.
{%- set longest_piece = 300 %}
with texts as (select * from {{ ref('texts') }}),

-- Empty texts are no evidence, and what was said before is none a second time.
read_texts as (
    select
        text_id,
        record_id,
        content,
        strlen(content) as text_length,
    from texts
    where not is_empty and not is_duplicate
),

long_texts as (
    select
        text_id,
        text_length,
        ceil(text_length / ({{ var('passage_max_bytes') }} - {{ longest_piece }}))
            as passage_count,
        {{ sentence_pieces('content', longest_piece) }} as pieces,
    from read_texts
    where text_length > {{ var('passage_max_bytes') }}
),

pieces as (
    select
        text_id,
        text_length,
        passage_count,
        unnest(pieces) as piece,
        generate_subscripts(pieces, 1) as piece_number,
    from long_texts
),

-- A piece belongs to the passage in which its middle lies.
placed_pieces as (
    select
        text_id,
        piece,
        piece_number,
        floor((
            sum(strlen(piece)) over (partition by text_id order by piece_number)
            - strlen(piece) / 2
        ) / text_length * passage_count) as place,
    from pieces
),

parts as (
    select
        text_id,
        place,
        trim(string_agg(piece, '' order by piece_number), e' \t\n') as content,
    from placed_pieces
    group by text_id, place
),

passages as (
    select
        text_id,
        row_number() over (partition by text_id order by place) as passage_number,
        content,
    from parts
    where content != ''
    union all
    select
        text_id,
        1 as passage_number,
        content,
    from read_texts
    where text_length <= {{ var('passage_max_bytes') }}
),

final as (
    select
        passages.text_id || ':' || passages.passage_number as passage_id,
        passages.text_id,
        read_texts.record_id,
        passages.passage_number,
        passages.content,
    from passages
    inner join read_texts using (text_id)
)

select * from final
