"""What the user's code prints, kept within bounds."""

from __future__ import annotations

import codecs

HEAD_BYTES = 2**16
TAIL_BYTES = 2**16


class CappedOutput:
    r"""Hands on the beginning of a stream as it comes, and at the end of a section its end.

    What lay between is counted and forgotten.

    >>> output = CappedOutput(head_bytes=4, tail_bytes=4)
    >>> output.add(b"1\n2\n3\n4\n5\n6\n")
    >>> output.take(), output.end_section()
    ('1\n2\n', '\n[... 4 bytes of output left out ...]\n5\n6\n')
    """

    def __init__(self, head_bytes: int = HEAD_BYTES, tail_bytes: int = TAIL_BYTES) -> None:
        self._head_bytes, self._tail_bytes = head_bytes, tail_bytes
        self._begin_section()

    def _begin_section(self) -> None:
        self._room = self._head_bytes
        self._fresh, self._tail = bytearray(), bytearray()
        self._num_left_out = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def add(self, chunk: bytes) -> None:
        """Keep what there is room for."""
        self._fresh += chunk[: self._room]
        self._tail += chunk[self._room :]
        self._room -= len(chunk[: self._room])
        surplus = len(self._tail) - self._tail_bytes
        if surplus > 0:
            del self._tail[:surplus]
            self._num_left_out += surplus

    def take(self) -> str:
        """The part of the beginning that nobody took yet, without half a character."""
        fresh, self._fresh = bytes(self._fresh), bytearray()
        return self._decoder.decode(fresh)

    def end_section(self) -> str:
        """The rest of what was kept; another section begins."""
        rest = self.take()
        if self._num_left_out:
            rest += self._decoder.decode(b"", final=True)
            rest += f"\n[... {self._num_left_out} bytes of output left out ...]\n"
            rest += self._tail.decode("utf-8", "ignore")
        else:
            rest += self._decoder.decode(bytes(self._tail), final=True)
        self._begin_section()
        return rest
