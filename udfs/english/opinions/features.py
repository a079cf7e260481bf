"""The name of a feature from its noun and opinion: "friendly staff", "cozy atmosphere"."""

from __future__ import annotations

from udfs.english.inflection import plural
from udfs.english.noun_phrases import Noun
from udfs.english.opinions.words import opinion_words


def feature_name(noun: Noun, kept: str) -> str:
    """The words of the feature, or '' where the noun and the word make no feature.

    kept: the opinion's word that stands before the feature, '' for none.
    """
    lists = opinion_words()
    head, modifier = noun
    if head in lists.persons and kept in lists.bare_staff:
        head, modifier = "staff", ""
    if head in lists.places:
        if kept in lists.atmosphere_words:
            return f"{kept} atmosphere"
        return lists.place_features.get(kept, "")
    if head in lists.rejected or not _go_together(head, kept):
        return ""
    if not kept and not modifier and head in lists.needs_word:
        return ""
    if head in lists.plural:
        head = plural(head)
    words = [kept, "" if kept and modifier in lists.neutral else modifier, head]
    return " ".join(dict.fromkeys(word for word in words if word))


def _go_together(head: str, kept: str) -> bool:
    """Whether people say the word of the noun: "crispy fries", but no "crispy parking"."""
    lists = opinion_words()
    if kept and kept not in lists.fits.get(head, {kept}):
        return False
    known = lists.goes_with.get(kept)
    return known is None or head in known or kept in lists.fits.get(head, ())
