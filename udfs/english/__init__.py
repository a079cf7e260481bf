"""What the rules of every role know of English."""

from pathlib import Path

_FOLDER = Path(__file__).resolve().parents[2] / "seeds"
SMALL_WORDS_SEED = _FOLDER / "small_words.csv"
NEGATIONS_SEED = _FOLDER / "negations.csv"

# The word lists that SQL reads as well; the version of a role is also a hash of them.
SEEDS = (SMALL_WORDS_SEED, NEGATIONS_SEED)
