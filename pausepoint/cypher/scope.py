"""Keeps the variables the guard adds out of `RETURN *` and `WITH *`, by naming the columns instead."""

from pausepoint.cypher.ast import (
    CallSubquery,
    Clause,
    GroupPattern,
    Item,
    Let,
    Match,
    Path,
    Projection,
    Query,
    SingleQuery,
    Unwind,
    Variable,
    walk,
)
from pausepoint.cypher.errors import CypherRefused


def hide(query: Query, hidden: set[str]) -> None:
    """Spell out every `*` that would show one of the hidden variables."""
    if not hidden:
        return
    top = {id(branch) for branch in query.parts[0].branches}
    for node in walk(query):
        if isinstance(node, SingleQuery) and _has_star(node):
            if id(node) not in top:
                position = next(c.pos for c in node.clauses if isinstance(c, Projection) and c.star)
                hint = "Name the columns instead of '*'."
                raise CypherRefused(
                    "'*' in a subquery with paths is not supported.",
                    rule="star",
                    position=position,
                    hint=hint,
                )
            _spell_out(node, hidden)


def _has_star(query: SingleQuery) -> bool:
    return any(isinstance(clause, Projection) and clause.star for clause in query.clauses)


def _spell_out(query: SingleQuery, hidden: set[str]) -> None:
    names: set[str] = set()
    for clause in query.clauses:
        if isinstance(clause, Projection):
            names = _project(clause, names, hidden)
        else:
            names |= set(_bound_by(clause))


def _project(clause: Projection, names: set[str], hidden: set[str]) -> set[str]:
    visible = sorted(names - hidden)
    if clause.star and names & hidden and visible:
        clause.star = False
        clause.items = [Item(Variable(name), source=name) for name in visible] + clause.items
    columns = set(columns_of(clause))
    return names | columns if clause.star else columns


def columns_of(clause: Projection) -> list[str]:
    """Return the names of the columns a projection lists."""
    return [
        item.alias
        if item.alias is not None
        else item.value.name
        if isinstance(item.value, Variable)
        else item.source
        for item in clause.items
    ]


def _bound_by(clause: Clause) -> list[str]:
    if isinstance(clause, Match):
        return [name for path in clause.paths for name in _bound_in(path)]
    if isinstance(clause, Unwind):
        return [clause.alias]
    if isinstance(clause, Let):
        return [item.alias for item in clause.items if item.alias is not None]
    if isinstance(clause, CallSubquery):
        last = clause.query.parts[-1].branches[0]
        returned = last.clauses[-1] if isinstance(last, SingleQuery) else None
        return columns_of(returned) if isinstance(returned, Projection) else []
    return []


def _bound_in(path: Path) -> list[str]:
    found = [path.variable] if path.variable is not None else []
    for element in path.elements:
        if isinstance(element, GroupPattern):
            found += _bound_in(element.path)
        elif element.variable is not None:
            found.append(element.variable)
    return found
