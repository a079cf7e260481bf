"""The embedded judge, of texts and of the captions of photos.

It takes the topic from words and a cross-encoder, and the direction from explicit
negation, opposites and sentiment, because the cross-encoder is nearly blind to a negation. The
words live in cues.yml and udfs/english, the numbers in the profile.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache

from udfs.contracts.judgement import Judgement, Verdict, parse_requirement
from udfs.encoders.onnx_pairs import score_pair
from udfs.english.sentences import split_sentences
from udfs.profiles.parameters import RuleJudge
from udfs.rules.judge.claims import Claim, may_contradict, parse_claim
from udfs.rules.judge.readings import Reading, read_sentence


def judge_evidence(task: str, claim: str, evidence: str, judge: RuleJudge) -> Judgement:
    """Judge a claim, or for `contradiction` a JSON {"question", "claims"}, on a text or caption.

    Raises ValueError where the JSON lacks the question or the claims.
    """
    sentences = _sentences(evidence, judge.max_sentences)
    scorer = _Scorer(judge)
    if task == "support":
        return _support(parse_claim(claim), sentences, judge, scorer)
    return _contradiction(_claims_of(claim), sentences, judge, scorer)


class _Scorer:
    """Asks the cross-encoder about the sentences of one call, and counts tokens."""

    def __init__(self, judge: RuleJudge) -> None:
        self.weights = judge.weights
        self.cross_encoder = judge.cross_encoder
        self.tokens = 0

    def topic(self, claim: Claim, reading: Reading) -> float:
        """Probability that the sentence is about the claim, whether for or against the claim."""
        score = score_pair(claim.query, reading.sentence, self.cross_encoder)
        self.tokens += score.tokens
        weights = self.weights
        signal = weights.bias + weights.topic * score.logit + weights.overlap * reading.overlap
        signal += weights.cue * reading.has_cue + weights.opposite * reading.has_opposite
        signal += weights.neutral * (reading.direction == 0)
        return 1 / (1 + math.exp(-signal))


def _support(claim: Claim, sentences: list[str], judge: RuleJudge, scorer: _Scorer) -> Judgement:
    readings = [read_sentence(claim, sentence) for sentence in sentences]
    for_it = _best(claim, (r for r in readings if r.direction >= 0), judge, scorer)
    against = _best(claim, (r for r in readings if r.direction < 0), judge, scorer)

    is_for, is_against = for_it >= judge.yes_from, against >= judge.against_from
    confidence = for_it * (1 - against) if is_against or is_for else for_it
    reason = f"for {for_it:.2f}, against {against:.2f}"
    if is_for and is_against:
        return _judgement("unresolved", confidence, False, reason, scorer)
    return _judgement("yes" if is_for else "no", confidence, is_against, reason, scorer)


def _best(claim: Claim, readings: Iterable[Reading], judge: RuleJudge, scorer: _Scorer) -> float:
    """The highest topic probability among the few readings that share most words with the claim."""
    promising = [reading for reading in readings if reading.overlap >= judge.least_overlap]
    promising.sort(key=lambda reading: -reading.overlap)
    chosen = promising[: judge.scored_sentences]
    return max((scorer.topic(claim, reading) for reading in chosen), default=0.0)


def _contradiction(
    claims: tuple[Claim, ...], sentences: list[str], judge: RuleJudge, scorer: _Scorer
) -> Judgement:
    """A sentence contradicts when it explicitly negates, or states the opposite of, one claim."""
    worst, is_disputed = 0.0, False
    for claim in claims:
        readings = [read_sentence(claim, s) for s in sentences]
        negations = [r for r in readings if r.direction < 0]
        against = _best(claim, negations, judge, scorer)
        if against > worst:
            worst = against
            overlap = max(reading.overlap for reading in negations)
            is_disputed = any(r.direction > 0 and r.overlap >= overlap for r in readings)
    reason = f"against {worst:.2f}"
    if worst < judge.against_from:
        return _judgement("no", worst, False, reason, scorer)
    if is_disputed:
        return _judgement("unresolved", worst / 2, False, reason + ", disputed", scorer)
    return _judgement("yes", worst, True, reason, scorer)


def _judgement(
    verdict: Verdict, confidence: float, is_against: bool, reason: str, scorer: _Scorer
) -> Judgement:
    return Judgement(
        verdict=verdict,
        confidence=round(confidence, 4),
        is_against=is_against,
        reason=reason,
        tokens=scorer.tokens,
    )


@lru_cache(maxsize=8192)
def _sentences(evidence: str, limit: int) -> list[str]:
    return split_sentences(evidence, limit)


@lru_cache(maxsize=4096)
def _claims_of(spec: str) -> tuple[Claim, ...]:
    """The claims of a question that a text can contradict: not numbers, not places."""
    claims = parse_requirement(spec).claims
    return tuple(parse_claim(claim) for claim in claims if may_contradict(claim))
