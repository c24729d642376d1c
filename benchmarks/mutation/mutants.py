"""Small changes of Python source: other operators, constants and conditions, one at a time."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

_SWAPS: dict[type, type] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", "sin": "cos", "cos": "sin"}
_SKIPPED = (ast.JoinedStr,)
"""Nodes whose parts have no usable places in the source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One change.

    Attributes:
        path: The file, relative to the root of the repository.
        line: The line.
        column: The column, from one [bytes].
        before: The expression.
        after: The changed expression.
        start: The place of the expression in the file [bytes].
        end: Its end.
    """

    path: str
    line: int
    column: int
    before: str
    after: str
    start: int
    end: int

    @property
    def key(self) -> str:
        """The mutant in one line, which names it in results."""
        return (
            f"{self.path}:{self.line}:{self.column}: {' '.join(self.before.split())} -> "
            f"{self.after}"
        )

    @property
    def lines(self) -> range:
        """The lines of the expression."""
        return range(self.line, self.line + self.before.count("\n") + 1)

    def apply(self, source: bytes) -> bytes:
        """Return the changed source.

        Args:
            source: The content of the file.
        """
        return source[: self.start] + f"({self.after})".encode() + source[self.end :]


def mutants(path: str, source: str) -> Iterator[Mutant]:
    """Yield every change of a file, in the order of the source.

    Args:
        path: The file, relative to the root of the repository.
        source: Its content.
    """
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in _expressions(ast.parse(source)):
        for changed in _changes(node):
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            before = source.encode()[start:end].decode()
            yield Mutant(
                path=path,
                line=node.lineno,
                column=node.col_offset + 1,
                before=before,
                after=ast.unparse(changed),
                start=start,
                end=end,
            )


def _expressions(root: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions of function bodies, without annotations, decorators and formatted
    text.
    """
    for node in ast.walk(root):
        if isinstance(node, ast.FunctionDef):
            for statement in node.body:
                yield from _inside(statement)


def _inside(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, (*_SKIPPED, ast.FunctionDef, ast.Lambda)):
        return
    if isinstance(node, ast.expr):
        yield node
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _inside(child)


def _changes(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in _SWAPS:
        yield _with(node, op=_SWAPS[type(node.op)]())
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _SWAPS:
        yield _with(node, ops=[_SWAPS[type(node.ops[0])]()])
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield node.operand
    elif isinstance(node, ast.IfExp):
        yield _with(node, body=node.orelse, orelse=node.body)
    elif isinstance(node, ast.Constant):
        yield from _constants(node)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _NAMES:
        yield _with(node, func=ast.Name(id=_NAMES[node.func.id]))


def _constants(node: ast.Constant) -> Iterator[ast.expr]:
    if isinstance(node.value, bool):
        yield ast.Constant(value=not node.value)
    elif isinstance(node.value, int | float):
        yield ast.Constant(value=node.value + 1)


def _with(node: ast.expr, **fields: object) -> ast.expr:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed
