{#- The mean radius of the earth in km (IUGG), the same for every distance and destination. -#}
{% macro earth_radius_km() -%} 6371.0088 {%- endmacro %}


{#-
    Great-circle distance in km on the sphere of earth_radius_km (haversine; HeterQA's spatial checks).
    Null when a coordinate is: least() alone would pass over the null and say half the globe.
-#}
{% macro haversine_km(latitude_a, longitude_a, latitude_b, longitude_b) -%}
    if(
        {{ latitude_a }} + {{ longitude_a }} + {{ latitude_b }} + {{ longitude_b }} is null, null,
        2 * {{ earth_radius_km() }} * asin(least(1.0, sqrt(
            pow(sin(radians({{ latitude_b }} - {{ latitude_a }}) / 2), 2)
            + cos(radians({{ latitude_a }})) * cos(radians({{ latitude_b }}))
            * pow(sin(radians({{ longitude_b }} - {{ longitude_a }}) / 2), 2)
        )))
    )
{%- endmacro %}


{#- Initial bearing from a to b in degrees clockwise from north, in [0, 360). -#}
{% macro bearing_deg(latitude_a, longitude_a, latitude_b, longitude_b) -%}
    (
        (degrees(atan2(
            sin(radians({{ longitude_b }} - {{ longitude_a }})) * cos(radians({{ latitude_b }})),
            cos(radians({{ latitude_a }})) * sin(radians({{ latitude_b }}))
            - sin(radians({{ latitude_a }})) * cos(radians({{ latitude_b }}))
            * cos(radians({{ longitude_b }} - {{ longitude_a }}))
        )) + 360.0) % 360.0
    )
{%- endmacro %}


{#-
    Latitude in degrees of the point `distance_km` away from (latitude, longitude) at `bearing`.
    By atan2: an arcsine would lose half of the digits near a pole, and fail a last bit beyond it.
-#}
{% macro destination_latitude(latitude, distance_km, bearing) -%}
    degrees(atan2(
        sin(radians({{ latitude }})) * cos({{ distance_km }} / {{ earth_radius_km() }})
        + cos(radians({{ latitude }})) * sin({{ distance_km }} / {{ earth_radius_km() }})
        * cos(radians({{ bearing }})),
        sqrt(
            pow(sin({{ distance_km }} / {{ earth_radius_km() }}) * sin(radians({{ bearing }})), 2)
            + pow(
                cos(radians({{ latitude }})) * cos({{ distance_km }} / {{ earth_radius_km() }})
                - sin(radians({{ latitude }})) * sin({{ distance_km }} / {{ earth_radius_km() }})
                * cos(radians({{ bearing }})), 2
            )
        )
    ))
{%- endmacro %}


{#- Longitude in degrees, in [-180, 180), of that point. -#}
{% macro destination_longitude(latitude, longitude, distance_km, bearing) -%}
    ((
        {{ longitude }} + degrees(atan2(
            sin({{ distance_km }} / {{ earth_radius_km() }}) * sin(radians({{ bearing }})),
            cos(radians({{ latitude }})) * cos({{ distance_km }} / {{ earth_radius_km() }})
            - sin(radians({{ latitude }})) * sin({{ distance_km }} / {{ earth_radius_km() }})
            * cos(radians({{ bearing }}))
        )) + 540.0
    ) % 360.0 - 180.0)
{%- endmacro %}
