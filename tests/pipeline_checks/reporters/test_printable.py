from hypothesis import given
from hypothesis import strategies as st

from tdebug.pipeline_checks.reporters.printable import printable, printed_lines, shortened


@given(st.text(st.characters(codec=None)))
def test_nothing_is_left_that_acts(text):
    shown = printable(text)
    left = set(shown) - set("\n\u200c\u200d")
    assert all(character.isprintable() for character in left)
    shown.encode("utf-8")


@given(st.text())
def test_in_ascii_all_is_ascii(text):
    assert printable(text, ascii_only=True).isascii()


def test_letters_of_all_scripts_are_left_as_they_are():
    for text in ("größer", "日本語", "עברית", "می‌خواهم", "👩‍🔬", "naïve ≤ 3"):
        assert printable(text) == text


def test_a_character_that_looks_like_a_space_is_shown():
    assert printable("label\xa0") == "label\\xa0"


def test_a_lone_carriage_return_leaves_what_was_written_last():
    assert printed_lines("a\rb\r\n\nc") == ["b", "", "c"]


def test_hyperlinks_and_cursor_movements_are_left_out():
    assert printed_lines("\x1b]8;;http://x\x07link\x1b]8;;\x07 \x1b[2J\x1b[1;1Hend") == ["link end"]


@given(st.text(), st.integers(10, 100))
def test_a_shortened_text_keeps_both_ends(text, most):
    short = shortened(text, most)
    assert short.startswith(text[: most // 2])
    assert short.endswith(text[len(text) - most // 2 :] if len(text) > most else text)
