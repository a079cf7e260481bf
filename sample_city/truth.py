"""The files of the city's truth, which no construction model may read."""

from collections.abc import Iterator
from pathlib import Path

from . import words
from .files import Row, business_ratings, half_stars, write_rows
from .photos import Photo
from .sentences import Sentence
from .texts import Text
from .world import Business, User


def write_truth(
    folder: Path,
    businesses: list[Business],
    users: list[User],
    reviews: list[Text],
    tips: list[Text],
    photos: list[Photo],
) -> None:
    """All truth files, in a folder that exists."""
    ratings = business_ratings(reviews)
    write_rows(folder / "fields.jsonl", _field_rows(businesses, ratings))
    features = {feature.key: feature for feature in words.read_features()}
    write_rows(
        folder / "features.jsonl",
        (
            {
                "business_id": business.business_id,
                "feature_key": key,
                "feature": features[key].feature,
                "polarity": "positive" if has == features[key].is_positive else "negative",
            }
            for business in businesses
            for key, has in sorted(business.features.items())
        ),
    )
    write_rows(
        folder / "visible.jsonl",
        (
            {"business_id": business.business_id, "thing_key": thing.key, "thing": thing.thing}
            for business in businesses
            for thing in business.things
        ),
    )
    write_rows(folder / "sentences.jsonl", _sentence_rows(reviews, tips, photos))
    write_rows(
        folder / "relations.jsonl",
        (
            {"relation": "likes", "user_id": user.user_id, "feature_key": key}
            for user in users
            for key in user.tastes
        ),
    )


def _field_rows(businesses: list[Business], ratings: dict[str, list[int]]) -> Iterator[Row]:
    for business in businesses:
        values = {
            "city": business.city,
            "state": business.state,
            "stars": str(half_stars(ratings[business.business_id])),
            "is_open": "true" if business.is_open else "false",
            **business.fields,
        }
        for name, value in sorted(values.items()):
            yield {"business_id": business.business_id, "field": name, "value": value}


def _sentence_rows(reviews: list[Text], tips: list[Text], photos: list[Photo]) -> Iterator[Row]:
    for review in reviews:
        for place, sentence in enumerate(review.sentences):
            ids = ("review", review.business_id, review.user_id, review.review_id)
            yield _sentence_row(*ids, place, sentence)
    for tip in tips:
        key = f"{tip.user_id}|{tip.business_id}|{tip.date}"
        for place, sentence in enumerate(tip.sentences):
            yield _sentence_row("tip", tip.business_id, tip.user_id, key, place, sentence)
    for photo in photos:
        for sentence in photo.sentences:
            yield _sentence_row("photo", photo.business_id, None, photo.photo_id, 0, sentence)


def _sentence_row(
    source: str,
    business_id: str,
    user_id: str | None,
    row_key: str,
    sentence_index: int,
    sentence: Sentence,
) -> Row:
    return {
        "source": source,
        "business_id": business_id,
        "user_id": user_id,
        "row_key": row_key,
        "sentence_index": sentence_index,
        "sentence": sentence.text,
        "kind": sentence.kind,
        "key": sentence.key,
        "asserted": sentence.asserted,
        "is_true": sentence.is_true,
    }
