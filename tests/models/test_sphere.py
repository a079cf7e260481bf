"""Distances, bearings and destinations on the sphere, against geographiclib."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from geographiclib.geodesic import Geodesic
from hypothesis import example, given
from hypothesis import strategies as st

SPHERE = Geodesic(6371008.8, 0)
HALF_WAY_ROUND_KM = math.pi * 6371.0088
latitudes = st.floats(-90, 90) | st.sampled_from([-90.0, 0.0, 90.0])
longitudes = st.floats(-180, 180) | st.sampled_from([-180.0, -179.9999, 0.0, 179.9999, 180.0])
distances_km = st.floats(0.001, 100)
bearings = st.floats(0, 360, exclude_max=True)

Query = Callable[..., Any]


def distance_km(query: Query, *points: float) -> float:
    result: float = query(
        "{{ haversine_km('$1::double', '$2::double', '$3::double', '$4::double') }}", *points
    )
    return result


def bearing_deg(query: Query, *points: float) -> float:
    result: float = query(
        "{{ bearing_deg('$1::double', '$2::double', '$3::double', '$4::double') }}", *points
    )
    return result


@given(latitudes, longitudes, latitudes, longitudes)
@example(0, 179.99, 0, -179.99)
@example(90, 12, -90, -50)
@example(89.99, 0, 89.99, 180)
@example(41.8, -87.6, 41.8, -87.6)
def test_distance(query: Query, lat_a: float, lon_a: float, lat_b: float, lon_b: float) -> None:
    expected = SPHERE.Inverse(lat_a, lon_a, lat_b, lon_b)["s12"] / 1000
    # Near the opposite point the haversine formula keeps half of the digits.
    tolerance = 1e-6 if expected < 0.99 * HALF_WAY_ROUND_KM else 1e-3
    assert distance_km(query, lat_a, lon_a, lat_b, lon_b) == pytest.approx(expected, abs=tolerance)


@given(latitudes, longitudes, latitudes, longitudes)
@example(0, 179.99, 0, -179.99)
@example(0, -179.99, 0, 179.99)
@example(10, 20, 90, 0)
@example(10, 20, 9, 20)
@example(10, 20, 10, 20)
def test_bearing(query: Query, lat_a: float, lon_a: float, lat_b: float, lon_b: float) -> None:
    bearing = bearing_deg(query, lat_a, lon_a, lat_b, lon_b)
    assert 0 <= bearing < 360
    expected = SPHERE.Inverse(lat_a, lon_a, lat_b, lon_b)
    # Neither a point to itself nor one to its opposite has a bearing.
    if 0.001 < expected["s12"] / 1000 < 0.99 * HALF_WAY_ROUND_KM and abs(lat_a) < 89.9999:
        assert abs(math.remainder(bearing - expected["azi1"], 360)) < 1e-4


@given(latitudes, longitudes, distances_km, bearings)
@example(0, 179.99, 10, 90)
@example(0, -180, 10, 270)
@example(90, 0, 5, 123)
@example(89.99, 10, 1.1119508023353290, 0)
@example(-89.99, 10, 50, 180)
def test_destination(query: Query, lat: float, lon: float, distance: float, bearing: float) -> None:
    to_lat, to_lon = query(
        "{{ destination_latitude('$1::double', '$3::double', '$4::double') }},"
        "{{ destination_longitude('$1::double', '$2::double', '$3::double', '$4::double') }}",
        lat,
        lon,
        distance,
        bearing,
    )
    assert -90 <= to_lat <= 90
    assert -180 <= to_lon < 180
    expected = SPHERE.Direct(lat, lon, bearing, distance * 1000)
    off_by_m = SPHERE.Inverse(to_lat, to_lon, expected["lat2"], expected["lon2"])["s12"]
    assert off_by_m < 0.001


@pytest.mark.parametrize("missing", range(4))
def test_no_distance_without_a_coordinate(query: Query, missing: int) -> None:
    points: list[Any] = [1.0, 2.0, 3.0, 4.0]
    points[missing] = None
    assert distance_km(query, *points) is None
    assert bearing_deg(query, *points) is None
