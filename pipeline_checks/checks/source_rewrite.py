"""A line of the user's code written anew without its in-place change."""

import re

AUGMENTED = re.compile(r"^\s*([\w.\[\]\"']+)\s*([-+*/@|&^]|//|\*\*)=\s*(.+?)\s*$")
METHOD = re.compile(r"^\s*(?:([\w.]+)\s*=\s*)?([\w.]+)\.(\w+)_\((.*)\)\s*$")
COMPOUND = re.compile(r"[-+|&^ ]")
TIGHT = frozenset({"-", "*", "/", "@", "//", "**"})


def without_inplace(code: str | None) -> str | None:
    """The same line as one that makes a new tensor; None where it is not that simple.

    >>> without_inplace("acc += lv(x)"), without_inplace("x.mul_(2)")
    ('acc = acc + lv(x)', 'x = x.mul(2)')
    >>> without_inplace("x *= a + b"), without_inplace("y = x.add_(1)"), without_inplace("x[0] = 1")
    ('x = x * (a + b)', 'y = x.add(1)', None)
    """
    code = (code or "").split("#")[0].rstrip()
    found = AUGMENTED.match(code)
    if found:
        name, operator, value = found.groups()
        if "[" in name:
            return None
        is_loose = operator in TIGHT and COMPOUND.search(value) and not value.startswith("(")
        return f"{name} = {name} {operator} {f'({value})' if is_loose else value}"
    found = METHOD.match(code)
    if found:
        target, name, method, arguments = found.groups()
        return f"{target or name} = {name}.{method}({arguments})"
    return None
