{#-
    Boxes that hold every point within `distance_km` of (latitude, longitude), as a list of GEOMETRY:
    what a spatial join looks up before the distance is taken. A box is repeated a turn of the globe
    to the west and to the east, so that it goes on beyond the date line; one that holds a pole has
    all longitudes. No point is in two of them. The margin of 0.00001 degrees is more than rounding.
-#}
{% macro boxes_around(latitude, longitude, distance_km) -%}
    {%- set angle = '(' ~ distance_km ~ ') / ' ~ earth_radius_km() -%}
    {%- set height = '(degrees(' ~ angle ~ ') + 0.00001)' -%}
    {%- set width = '(degrees(asin(sin(' ~ angle ~ ') / cos(radians(' ~ latitude ~ ')))) + 0.00001)' -%}
    if(
        abs({{ latitude }}) + {{ height }} >= 90,
        [st_makeenvelope(-180, {{ latitude }} - {{ height }}, 180, {{ latitude }} + {{ height }})],
        [
            st_makeenvelope(
                {{ longitude }} - {{ width }} + turn, {{ latitude }} - {{ height }},
                {{ longitude }} + {{ width }} + turn, {{ latitude }} + {{ height }}
            )
            for turn in [-360, 0, 360]
        ]
    )
{%- endmacro %}
