"""The header of a journal: what it always says, without which SQLite is given nothing to read."""

from sordino.once.agent.answer_store import AnswerStore
from sordino.once.journal.journal_file import SIZE, is_sound

MAGIC, PAGE_SIZE, UNUSED, SCHEMA, VACUUM, MARK = 3, 16, 21, 47, 55, 70
"""A byte of each part."""


def test_a_header_is_sound_only_with_what_it_always_says(tmp_path):
    AnswerStore.open(tmp_path / "answers.sqlite")
    header = (tmp_path / "answers.sqlite").read_bytes()[:SIZE]
    assert is_sound(header)
    for place in (MAGIC, PAGE_SIZE, UNUSED, SCHEMA, VACUUM, MARK):
        for bit in range(8):
            changed = bytearray(header)
            changed[place] ^= 1 << bit
            assert not is_sound(changed)
