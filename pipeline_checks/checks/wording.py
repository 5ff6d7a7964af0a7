"""Words that findings share: counts, lists of names, numbers, shapes, places in the dataset."""

from collections.abc import Iterable, Sequence

MOST_NAMES = 5
PAIR = 2
LARGEST_IN_FULL = 1e15


def count(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun.

    >>> count(1, "sample"), count(3, "sample"), count(2, "class", "classes")
    ('1 sample', '3 samples', '2 classes')
    """
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def count_of(part: int, total: int, noun: str, plural: str = "") -> str:
    """A share in whole numbers.

    >>> count_of(3, 40, "sample"), count_of(40, 40, "sample"), count_of(1, 1, "sample")
    ('3 of 40 samples', 'all 40 samples', 'the only sample')
    """
    if total == 1 and part == 1:
        return f"the only {noun}"
    if part == total:
        return f"all {count(total, noun, plural)}"
    return f"{part} of {count(total, noun, plural)}"


def join_words(words: Iterable[str], last: str = "and") -> str:
    """The words as an enumeration.

    >>> join_words(["a"]), join_words(["a", "b"]), join_words("abc", "or")
    ('a', 'a and b', 'a, b or c')
    """
    *most, final = list(words) or [""]
    return f"{', '.join(most)} {last} {final}" if most else final


def name_list(names: Sequence[object], most: int = MOST_NAMES) -> str:
    """The first few names; how many more there are.

    >>> name_list(["a", "b", "c"], most=2), name_list([13, 14])
    ('a, b and 1 more', '13 and 14')
    """
    shown = [str(name) for name in names[:most]]
    if len(names) > most:
        shown.append(f"{len(names) - most} more")
    return join_words(shown)


def quoted_list(names: Sequence[str], most: int = MOST_NAMES) -> str:
    """Like `name_list`, each name in quotes.

    >>> quoted_list(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    shown = [repr(name) for name in names[:most]]
    if len(names) > most:
        shown.append(f"{len(names) - most} more")
    return join_words(shown)


def number(value: float | None) -> str:
    """A number as a person would write it: whole ones in full, others with four digits.

    >>> number(3.0), number(0.123456), number(-25536), number(1e-9), number(None)
    ('3', '0.1235', '-25536', '1e-09', 'unknown')
    """
    if value is None:
        return "unknown"
    if isinstance(value, int) or (value.is_integer() and abs(value) < LARGEST_IN_FULL):
        return str(int(value))
    return f"{value:.4g}"


def percent(part: float, total: float) -> str:
    """A share in percent, never rounded to 0 or 100 where it is neither.

    >>> percent(1, 3), percent(1, 5000), percent(3, 3)
    ('33 %', '0.02 %', '100 %')
    """
    share = 100 * part / total
    return f"{share:.0f} %" if share in {0, 100} or 1 <= share < 99.5 else f"{share:.2g} %"  # noqa: PLR2004 - percent


def shape_text(shape: Sequence[int]) -> str:
    """`[4, 3, 48, 48]`, and `[]` for a single number.

    >>> shape_text((4, 3))
    '[4, 3]'
    """
    return "[" + ", ".join(map(str, shape)) + "]"


def sample(index: int, path: str = "") -> str:
    """A value of the dataset as the user would write it.

    >>> sample(17, '["labels"]'), sample(3)
    ('dataset[17]["labels"]', 'dataset[3]')
    """
    return f"dataset[{index}]{path}"


def sample_list(indices: Sequence[int], path: str = "", most: int = MOST_NAMES) -> str:
    """Several samples.

    >>> sample_list([13, 14]), sample_list([2, 3, 4], "[0]", most=2)
    ('dataset[13] and dataset[14]', 'dataset[2][0], dataset[3][0] and 1 more')
    """
    return name_list([sample(index, path) for index in indices], most)


def batch(index: int, samples: Sequence[int] = ()) -> str:
    """A batch and the samples in it.

    >>> batch(2, (8, 9, 10)), batch(0, (5, 1)), batch(4, (32,)), batch(1)
    ('batch 2 (samples 8 to 10)', 'batch 0 (samples 5 and 1)', 'batch 4 (sample 32)', 'batch 1')
    """
    if not samples:
        return f"batch {index}"
    if len(samples) == 1:
        return f"batch {index} (sample {samples[0]})"
    if len(samples) > PAIR and list(samples) == list(range(samples[0], samples[-1] + 1)):
        return f"batch {index} (samples {samples[0]} to {samples[-1]})"
    return f"batch {index} (samples {name_list(samples, most=8)})"
