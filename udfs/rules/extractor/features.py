"""The embedded extractor: opinions about features, read off the text by patterns and word lists.

"Friendly staff" praises a feature in front, "the staff was so friendly" behind a verb, "loved the
tacos" with the verb itself. The word lists are in `language/opinions.yml`; adjectives that they
miss take their polarity from VADER's lexicon. A doubtful opinion is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from udfs.english.lexicon import is_known, singular, word_class, word_set
from udfs.english.opinions import is_comparative, may_judge, opinion_of, opinion_words
from udfs.english.sentences import CLAUSE_MARKS, CLAUSE_WORDS, is_negation, negated, split_sentences
from udfs.rules.writer.question import plural

_TOKEN = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*|[.,;:!?()\[\]\u2026\u2013\u2014]|&")
_LINKS = word_set(
    "is was are were be been being am 's seems seemed felt feels looks looked tasted tastes "
    "smelled smells stayed stays sounded remains remained arrived came comes "
    "isn't wasn't aren't weren't"
)
_DETERMINERS = word_set("the a an this that these those my our their his her its your all")
_PREPOSITIONS = word_set(
    "of in on at by for from with near around inside to behind along under over outside"
)
_SUBJECTS = word_set("i we you he she they")
_MODALS = word_set("would could should might may must can will wouldn't shouldn't couldn't 'd")
# What to look for first, the pattern, and what it says in plain words.
_IDIOMS = tuple(
    (hint, re.compile(rf"\b(?:{pattern})\b", re.I), plain)
    for hint, pattern, plain in (
        ("'s", r"(it|that|this|he|she|there|here|what|who|everything|everyone)'s", r"\1 is"),
        ("'re", r"(they|we|you)'re", r"\1 are"),
        (" fault", r"(?:can't|cannot|can not|couldn't|could not|no) fault", "love"),
        ("nything but", r"anything but", "not"),
        ("pot on", r"spot on", "spot-on"),
    )
)
_EMPHASIS = word_set("so very really super too")
_AFTER_REMARK = word_set("inside here for whenever when every on at after during most with")
_REFUSALS = word_set("not don't wouldn't can't cannot couldn't")
_HIGHLY = word_set("enough more highly")
_AUXILIARIES = _MODALS | {"have", "has", "had"}
_DOUBTS = word_set("if wish hope hoping hoped expect expected expecting unless")
_SEEKS = word_set("looking look want wanted wanting need needed searching search seeking")
_PASSIVE_NEGATIONS = word_set(
    "have had has be been was is are were get got find found see saw serve offer provide receive "
    "call say that the a an any very so really as too particularly especially all overly most "
    "exactly quite always super overwhelmingly with our my their your such it them this"
)
_MAX_WORDS = 3

Noun = tuple[str, str]  # head and modifier
_BETWEEN = word_set(", and as both the a so most all that this")


class Feature(NamedTuple):
    """One opinion: "friendly staff" or "coffee", "positive" or "negative", confidence in [0, 1]."""

    feature: str
    polarity: str
    confidence: float


def extract_features(content: str) -> list[Feature]:
    """The features that a text praises or blames, each once with its best confidence, in order."""
    best: dict[tuple[str, str], float] = {}
    for sentence in split_sentences(_plain(content)):
        for found in _of_sentence(sentence):
            key = (found.feature, found.polarity)
            best[key] = max(best.get(key, 0.0), found.confidence)
    return [Feature(feature, polarity, round(c, 4)) for (feature, polarity), c in best.items()]


def _plain(content: str) -> str:
    """The text with contractions and a few idioms spelled out."""
    content = content.replace("\u2019", "'")
    for hint, pattern, plain in _IDIOMS:
        if hint in content:
            content = pattern.sub(plain, content)
    return content


def _of_sentence(sentence: str) -> Iterator[Feature]:
    raw = [_clean(token) for token in _TOKEN.findall(sentence)]
    words = [token.lower() for token in raw]
    likes = opinion_words().likes
    hits = [index for index, word in enumerate(words) if word in likes or may_judge(word)]
    if not hits or sentence.rstrip(" \"')").endswith("?") or not is_english(words):
        return
    clause = _Clause(raw, words)
    for index in hits:
        if words[index] in likes:
            yield from clause.liked(index)
        else:
            yield from clause.described(index)


def _clean(token: str) -> str:
    if token == "&":
        return "and"
    if "'" in token and token[-2:] in ("'s", "'S") and len(token) > 2:
        return token[:-2]
    return token


def is_english(words: Iterable[str]) -> bool:
    """Whether most words are known English ones; a few foreign function words are enough for no."""
    letters = [word for word in words if word[0].isalpha()]
    classes = [word_class(word) for word in letters]
    foreign = classes.count("foreign") + sum(not word.isascii() for word in letters)
    known = sum(is_known(word) or "'" in word for word in letters)
    return foreign <= max(1, len(letters) // 12) and known >= 0.6 * len(letters)


class _Clause:
    """The tokens of one sentence, with what negations and hypotheses cover."""

    def __init__(self, raw: list[str], words: list[str]) -> None:
        self.raw = raw
        self.words = words
        self.negated = negated(words)
        self.lists = opinion_words()

    # -- opinions in an adjective ------------------------------------------------------------------

    def described(self, index: int) -> Iterator[Feature]:
        """Opinions that the adjective at `index` states."""
        word = self.words[index]
        if self._previous(index) == "too" and not self.negated[index]:
            opinion = opinion_of(word)
            if opinion is None or opinion.is_positive:
                return
        for subjects, sign, confidence in self._readings(index):
            if subjects:
                for noun, modifier in subjects if sign else []:
                    yield from self._judge(word, noun, modifier, sign, confidence)
                return

    def _readings(self, index: int) -> Iterator[tuple[list[Noun], int, float]]:
        """What the adjective may speak of: nouns, sign and confidence, the likeliest first."""
        behind = self._sign_before_noun(index)
        is_sought = self._is_sought(index)
        start = self._noun_after(index, through_comma=False)
        if start is not None:
            yield self._nouns_from(start), 0 if is_sought else behind, 0.9
        link = self._link_before(index)
        if link is not None:
            sign = self._sign_after_link(link, index)
            yield self._subjects_before(link), sign, 0.9
            yield self._pronoun_before(link, index), sign, 0.75
            return
        if self._opens_exclamation(index):
            yield self._exclaimed(index), 1, 0.85
        if start is None:
            yield self._verbless_subject(index), -1 if self.negated[index] else 1, 0.75
        start = self._noun_after(index, through_comma=True)
        if start is not None:
            yield self._nouns_from(start), 0 if is_sought else behind, 0.8
        yield self._unnamed(index), -1 if self.negated[index] else 1, 0.75

    def _judge(
        self, word: str, noun: str, modifier: str, sign: int, confidence: float
    ) -> Iterator[Feature]:
        opinion = opinion_of(word, noun)
        if opinion is None:
            return
        is_positive = opinion.is_positive == (sign > 0)
        if sign < 0 and not opinion.is_positive and not opinion.kept:
            confidence -= 0.3  # "not bad" is faint praise
        feature = self._name(noun, modifier, opinion.kept) if noun else ""
        if feature:
            polarity = "positive" if is_positive else "negative"
            yield Feature(feature, polarity, confidence * opinion.weight)

    def _name(self, noun: str, modifier: str, kept: str) -> str:
        """The feature's words, or '' for what is no feature."""
        if noun in self.lists.persons and kept in self.lists.bare_staff:
            noun, modifier = "staff", ""
        if noun in self.lists.places:
            if kept in self.lists.atmosphere_words:
                return f"{kept} atmosphere"
            return self.lists.place_features.get(kept, "")
        if noun in self.lists.rejected or (kept and kept not in self.lists.fits.get(noun, {kept})):
            return ""
        known = self.lists.goes_with.get(kept)
        if known is not None and noun not in known and kept not in self.lists.fits.get(noun, ()):
            return ""
        if not kept and not modifier and noun in self.lists.needs_word:
            return ""
        if noun in self.lists.plural:
            noun = plural(noun)
        words = [kept, "" if kept and modifier in self.lists.neutral else modifier, noun]
        return " ".join(dict.fromkeys(word for word in words if word))

    def _noun_after(self, index: int, through_comma: bool) -> int | None:
        """Where the noun group that the adjective describes begins, if there is one."""
        position = index + 1
        while position < len(self.words) and position - index <= 8:
            word = self.words[position]
            kind = self._kind(position)
            if kind in ("adjective", "participle") or (kind == "adverb" and word not in _LINKS):
                position += 1
            elif word in (",", "and") and (through_comma or word == "and"):
                following = self._kind(position + 1)
                if following not in ("adjective", "participle", "adverb"):
                    return None
                coming = opinion_of(self.words[position + 1])
                if word == "," and coming is not None and not coming.kept:
                    return None  # "clean, great location" are two remarks
                position += 1
            elif kind == "noun":
                return position
            else:
                return None
        return None

    def _nouns_from(self, start: int) -> list[Noun]:
        """The features named from `start` on: "cup of coffee", "tea and cake"."""
        end = self._group_end(start)
        group = [singular(word) for word in self.words[start:end]]
        if self._word(end) == "of" and group[-1] in self.lists.containers | self.lists.collections:
            inner = end + 1
            while self._kind(inner) in ("adjective", "participle") or (
                self._word(inner) in _DETERMINERS
            ):
                inner += 1
            if self._kind(inner) != "noun":
                return []
            head, modifier = self._aspect(inner, self._group_end(inner))
            if not head:
                return []
            if group[-1] in self.lists.collections:
                return [("selection", head)]
            return [(head, modifier)]
        nouns = [self._aspect(start, end)]
        if self._word(end) == "and":
            second = end + 1 + (self._word(end + 1) in _DETERMINERS)
            second_end = self._group_end(second)
            if self._kind(second_end) not in ("verb", "participle", "adjective", "adverb"):
                nouns.append(self._aspect(second, second_end))
        return [noun for noun in nouns if noun[0]]

    def _sign_before_noun(self, index: int) -> int:
        """1 as the word says, -1 for its reverse, 0 when a negation is too far to tell."""
        if not self.negated[index]:
            return 1
        start = self._clause_start(index)
        cue = next(
            (i for i in range(index - 1, start - 1, -1) if self._is_cue(i)),
            None,
        )
        if cue is None:
            return 0
        between = self.words[cue + 1 : index]
        if is_comparative(self.words[index]):
            # "Never had a better coffee" and "no better coffee in town" praise it.
            return 1 if self.words[cue] in ("never", "no", "haven't", "hadn't", "couldn't") else 0
        return -1 if set(between) <= _PASSIVE_NEGATIONS and len(between) <= 4 else 0

    def _is_sought(self, index: int) -> bool:
        """Whether the noun is looked for, hoped for or supposed, not met."""
        before = self.words[self._clause_start(index) : index]
        near = before[-6:]
        if _DOUBTS & set(before) or _SEEKS & set(near):
            return True
        return any(word in _MODALS and word not in ("can", "will") for word in near[-4:])

    # -- opinions behind a verb --------------------------------------------------------------------

    def _link_before(self, index: int) -> int | None:
        """The linking verb whose complement the adjective is: "was (so) (clean and) friendly"."""
        position = index - 1
        while position >= 0 and index - position <= 9:
            word = self.words[position]
            if word in _LINKS:
                return position
            kind = self._kind(position)
            skipped = kind in ("adjective", "adverb", "participle") or is_negation(word)
            if not skipped and word not in (
                ",",
                "and",
                "as",
                "both",
                "the",
                "a",
                "so",
                "most",
                "all",
            ):
                return None
            if (
                word in ("a", "the")
                and position != index - 1
                and self._word(position + 1) != "most"
            ):
                return None
            position -= 1
        return None

    def _is_hypothetical(self, link: int) -> bool:
        start = self._clause_start(link)
        if _DOUBTS & set(self.words[start:link]):
            return True
        near = self.words[max(start, link - 3) : link]
        return any(modal in _MODALS for modal in near)

    def _sign_after_link(self, link: int, index: int) -> int:
        """The sign of a predicate, 0 for what is only supposed."""
        if self._is_hypothetical(link):
            # "Could be better" blames, "could not be better" praises, "would be" does neither.
            near = self.words[max(0, link - 3) : link]
            if not is_comparative(self.words[index]) or not {"could", "couldn't"} & set(near):
                return 0
            return 1 if self.negated[index] or "couldn't" in near else -1
        if not self.negated[index]:
            return 1
        near_cue = any(self._is_cue(i) for i in range(max(0, link - 2), index))
        return -1 if near_cue else 0

    def _pronoun_before(self, link: int, index: int) -> list[Noun]:
        """ "It was so clean", "they were helpful": the place or its staff."""
        opinion = opinion_of(self.words[index])
        end = self._skip_back(link)
        if opinion is None or end == 0:
            return []
        subject = self.words[end - 1]
        if self.words[link - 1] in ("inside", "interior"):
            subject = "it"
        if subject in ("it", "this", "everything", "here") and (
            opinion.kept in self.lists.bare_place
        ):
            return [("place", "")]
        if subject in self.lists.persons and opinion.kept in self.lists.bare_staff:
            return [("staff", "")]
        return []

    def _opens_exclamation(self, index: int) -> bool:
        """Whether the adjective stands in "how clean the place is"."""
        position = index - 1
        while self._kind(position) == "adverb":
            position -= 1
        return self._word(position) == "how" and not self.negated[index]

    def _exclaimed(self, index: int) -> list[Noun]:
        position = index + 1
        while self._word(position) in _DETERMINERS:
            position += 1
        if self._word(position) in ("it", "everything") and self._word(position + 1) in _LINKS:
            opinion = opinion_of(self.words[index])
            is_bare = opinion is not None and opinion.kept in self.lists.bare_place
            return [("place", "")] if is_bare else []
        end = self._group_end(position)
        return [self._aspect(position, end)] if self._word(end) in _LINKS else []

    def _unnamed(self, index: int) -> list[Noun]:
        """ "Very friendly and helpful!", "Spotless inside": a remark without a noun."""
        opinion = opinion_of(self.words[index])
        start = index
        while start > 0 and (
            self._kind(start - 1) in ("adjective", "adverb")
            or self.words[start - 1] in ("and", "not")
        ):
            start -= 1
        opens = start == 0 or self.words[start - 1] in CLAUSE_MARKS or self.words[start - 1] == ","
        if opinion is None or not opens or not self._closes(index, _AFTER_REMARK):
            return []
        if opinion.kept in self.lists.bare_staff:
            return [("staff", "")]
        if opinion.kept in self.lists.bare_price:
            return [("price", "")]
        return [("place", "")] if opinion.kept in self.lists.bare_place else []

    def _subjects_before(self, link: int) -> list[Noun]:
        """The nouns that the linking verb speaks of."""
        end = self._skip_back(link)
        subjects: list[Noun] = []
        while end > 0 and len(subjects) < 3:
            start = self._group_start(end)
            if start == end:
                break
            before = start
            while before > 0 and (
                self.words[before - 1] in _DETERMINERS
                or self._kind(before - 1) in ("adjective", "participle", "number")
            ):
                before -= 1
            if self._word(before - 1) in _PREPOSITIONS and before > 1:
                if self._kind(before - 2) == "noun":
                    outer = self._group_start(before - 1)
                    head = singular(self.words[before - 2])
                    if self._word(before - 1) == "of" and head in self.lists.collections:
                        noun = self._aspect(start, end)[0]
                        subjects += [("selection", noun)] if noun else []
                    elif not (self._word(before - 1) == "of" and head in self.lists.containers):
                        subjects.append(self._aspect(outer, before - 1))
                    else:
                        subjects.append(self._aspect(start, end))
                break
            subjects.append(self._aspect(start, end))
            if self._word(before - 1) not in ("and", ","):
                break
            end = before - 1
            while self._word(end - 1) in (",", "and"):
                end -= 1
            if self._kind(end - 1) != "noun":
                break
        return [noun for noun in subjects if noun[0]]

    def _skip_back(self, link: int) -> int:
        """The end of the noun group before a verb, past adverbs and "(that) we had"."""
        end = link
        while end > 0 and (
            self._kind(end - 1) == "adverb"
            or self.words[end - 1] in _AUXILIARIES
            or self.words[end - 1] in ("all", "both", "themselves", "itself")
            or is_negation(self.words[end - 1])
        ):
            end -= 1
        if end > 2 and self._kind(end - 1) in ("verb", "participle"):
            inner = end - 2 if self.words[end - 2] in _SUBJECTS else end - 3
            if inner > 0 and self.words[inner] in _SUBJECTS:
                end = inner - 1 if self.words[inner - 1] in ("that", "which") else inner
            elif self.words[end - 1] == "working":
                end -= 1  # "everyone working here"
        for position in range(end - 1, max(0, end - 5), -1):
            if self.words[position] in ("who", "that") and end - position > 1:
                person = singular(self.words[position - 1])
                end = position if person in self.lists.persons else end
                break  # "the person who helped us"
        return end

    def _verbless_subject(self, index: int) -> list[Noun]:
        """ "Location great, beds comfy": a noun group that opens the clause, then the adjective."""
        end = index
        while end > 0 and self._kind(end - 1) in ("adverb", "adjective"):
            end -= 1
        while end > 1 and self.words[end - 1] == "and" and self._kind(end - 2) == "adjective":
            end -= 2
        if end < index and self._word(end - 1) == "," and self.words[end] in _EMPHASIS:
            start = self._group_start(end - 1)  # "order the fries, so crispy"
            return [self._aspect(start, end - 1)] if self._closes(index) else []
        start = self._group_start(end)
        opens = start == self._clause_start(index) or self._word(start - 1) in (",", "and")
        is_subject = start < end and opens and self._closes(index)
        return [self._aspect(start, end)] if is_subject else []

    def _closes(self, index: int, more: frozenset[str] = frozenset()) -> bool:
        after = self._word(index + 1)
        closers = ("", ",", "and")
        return after in closers or after in more or after in CLAUSE_MARKS or after in CLAUSE_WORDS

    # -- opinions in a verb ------------------------------------------------------------------------

    def liked(self, index: int) -> Iterator[Feature]:
        """ "Loved the tacos": what the verb at `index` takes as its object."""
        start = self._clause_start(index)
        before = self.words[start:index]
        if _DOUBTS & set(before) or "who" in before[-2:] or (before and before[-1] in ("you", "d")):
            return
        if any(word in _MODALS for word in before[-3:]) and self.words[index] != "recommend":
            return
        is_liked = self.lists.likes[self.words[index]]
        position = index + 1
        while self.words[position : position + 1] and (
            self.words[position] in _DETERMINERS
            or self._kind(position) in ("adjective", "participle", "adverb")
        ):
            if opinion_of(self.words[position]) or self.words[position] in ("here", "there"):
                return  # the adjective tells more
            position += 1
        if self._kind(position) != "noun" or position > index + 5:
            return
        if not is_liked and self._previous(index) == "not":
            return
        sign = -1 if self.negated[index] else 1
        if self.words[index] == "recommend" and self._previous(index) in _REFUSALS:
            # "Could not recommend the host more highly" is the highest praise.
            sign = 1 if _HIGHLY & set(self.words[index:]) else -1
        for noun, modifier in self._nouns_from(position) if sign else []:
            feature = self._name(noun, modifier, "")
            if feature:
                is_positive = is_liked == (sign > 0)
                yield Feature(feature, "positive" if is_positive else "negative", 0.85)

    # -- words -----------------------------------------------------------------------------------

    def _aspect(self, start: int, end: int) -> tuple[str, str]:
        """Head noun and modifier of the group, each by its one word; empty for a name or junk."""
        if end - start > _MAX_WORDS or end <= start:
            return "", ""
        if any(self._is_name(position) for position in range(start, end)):
            return "", ""
        head = singular(self.words[end - 1])
        modifier = singular(self.words[end - 2]) if end - start > 1 else ""
        whole = self.lists.synonyms.get(f"{modifier}-{head}")
        if whole:
            return whole, ""
        if head in self.lists.containers or len(head) < 3 or not head.isascii():
            return "", ""
        if head in self.lists.rejected and head not in self.lists.places | self.lists.persons:
            return "", ""
        if head in self.lists.unasked:
            return "", ""
        if head in self.lists.collections:
            return "selection", modifier
        if modifier in self.lists.rejected | self.lists.places or not is_known(modifier):
            modifier = ""
        if end - start == 1 and self._word(start - 1) in self.lists.neutral:
            modifier = self._word(start - 1)
        head = self.lists.synonyms.get(head, head)
        if head in ("staff", "service", "host"):
            modifier = ""  # "hotel staff", "bar service": the same feature everywhere
        if not is_known(head):
            return "", ""
        return head, modifier

    def _is_name(self, position: int) -> bool:
        """A capital inside a sentence, or an unknown word that opens it with one."""
        raw = self.raw[position]
        if not raw[0].isupper() or (raw.isupper() and len(raw) > 1):
            return False
        opens = position == 0 or self.raw[position - 1] in ".!?:;("
        return not opens or not is_known(self.words[position])

    def _kind(self, position: int) -> str:
        if not 0 <= position < len(self.words):
            return "end"
        word = self.words[position]
        if not word[0].isalnum():
            return "mark"
        return "adjective" if opinion_of(word) is not None else word_class(word)

    def _group_end(self, start: int) -> int:
        end = start
        while self._kind(end) == "noun":
            end += 1
        return end

    def _group_start(self, end: int) -> int:
        start = end
        while start > 0 and self._kind(start - 1) == "noun":
            start -= 1
        return start

    def _clause_start(self, index: int) -> int:
        for position in range(index - 1, -1, -1):
            if self.words[position] in CLAUSE_MARKS or self.words[position] in CLAUSE_WORDS:
                return position + 1
        return 0

    def _word(self, position: int) -> str:
        return self.words[position] if 0 <= position < len(self.words) else ""

    def _previous(self, index: int) -> str:
        return self._word(index - 1)

    def _is_cue(self, position: int) -> bool:
        return is_negation(self.words[position]) and self.negated[position]
