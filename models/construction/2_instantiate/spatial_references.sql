-- One row per attempt with a spatial constraint: the point that it refers to, a simulated user or a
-- record near the anchor. The anchor lies `distance_km` away at `bearing` from that point.
with attempts as (select * from {{ ref('attempts') }}),

anchors as (select * from {{ ref('anchors') }}),

candidates as (select * from {{ ref('candidates') }}),

record_points as (select * from {{ ref('record_points') }}),

records as (select * from {{ ref('records') }}),

spatial_anchors as (
    select
        anchors.attempt_id,
        anchors.record_id,
        record_points.latitude,
        record_points.longitude,
    from anchors
    inner join attempts on anchors.attempt_id = attempts.attempt_id
    inner join record_points on anchors.record_id = record_points.record_id
    where list_contains(attempts.sources, 'spatial')
),

-- A question can only refer to a place by its name when no other has it.
unique_names as (
    select
        min(record_id) as record_id,
        name,
    from records
    where name != ''
    group by name
    having count(*) = 1
),

anchor_boxes as (
    select
        *,
        unnest({{ boxes_around('latitude', 'longitude', var('reference_max_km')) }}) as box,
    from spatial_anchors
),

-- A reference is no answer: neither the anchor nor any candidate.
possible_answers as (
    select
        attempt_id,
        record_id,
    from candidates
    union
    select
        attempt_id,
        record_id,
    from spatial_anchors
),

-- DuckDB looks points up by their boxes (SPATIAL_JOIN) as long as no condition compares a column of
-- the one table with one of the other.
nearby as (
    select
        anchor_boxes.attempt_id,
        record_points.record_id,
        unique_names.name,
        record_points.latitude,
        record_points.longitude,
    from anchor_boxes
    inner join record_points on st_intersects(anchor_boxes.box, record_points.geometry)
    inner join unique_names on record_points.record_id = unique_names.record_id
    where
        {{ haversine_km(
            'anchor_boxes.latitude', 'anchor_boxes.longitude',
            'record_points.latitude', 'record_points.longitude'
        ) }} <= {{ var('reference_max_km') }}
        and (anchor_boxes.attempt_id, record_points.record_id) not in (
            select (attempt_id, record_id) from possible_answers
        )
),

drawn_records as (
    select
        attempt_id,
        record_id as reference_record_id,
        name,
        latitude,
        longitude,
    from nearby
    qualify row_number() over (
        partition by attempt_id
        order by {{ draw('attempt_id', 'reference record', 'record_id') }}, record_id
    ) = 1
),

users as (
    select
        attempt_id,
        latitude,
        longitude,
        {{ var('offset_min_km') }} + {{ draw('attempt_id', 'user distance') }}
        * ({{ var('offset_max_km') }} - {{ var('offset_min_km') }}) as offset_km,
        360 * {{ draw('attempt_id', 'user bearing') }} as offset_bearing,
    from spatial_anchors
),

user_points as (
    select
        attempt_id,
        round({{ destination_latitude('latitude', 'offset_km', 'offset_bearing') }}, 4)
            as latitude,
        round(
            {{ destination_longitude('latitude', 'longitude', 'offset_km', 'offset_bearing') }}, 4
        ) as longitude,
    from users
),

points as (
    select
        spatial_anchors.attempt_id,
        spatial_anchors.latitude as anchor_latitude,
        spatial_anchors.longitude as anchor_longitude,
        drawn_records.reference_record_id,
        drawn_records.name,
        coalesce(drawn_records.latitude, user_points.latitude) as latitude,
        coalesce(drawn_records.longitude, user_points.longitude) as longitude,
    from spatial_anchors
    inner join user_points on spatial_anchors.attempt_id = user_points.attempt_id
    left join drawn_records
        on
            spatial_anchors.attempt_id = drawn_records.attempt_id
            and {{ draw('spatial_anchors.attempt_id', 'reference kind') }} < 0.5
),

final as (
    select
        attempt_id,
        reference_record_id,
        name as reference_name,
        latitude,
        longitude,
        round({{ haversine_km('latitude', 'longitude', 'anchor_latitude', 'anchor_longitude') }}, 6)
            as distance_km,
        round({{ bearing_deg('latitude', 'longitude', 'anchor_latitude', 'anchor_longitude') }}, 6)
            as bearing,
    from points
)

select * from final
