"""The way of a query through the guard: check text, parse, check, rewrite, print, parse again, verify."""

from collections.abc import Mapping
from typing import Any

from pausepoint.cypher.ast import Query
from pausepoint.cypher.checks import check
from pausepoint.cypher.errors import CypherRefused
from pausepoint.cypher.hops import bound_hops
from pausepoint.cypher.lexer import check_text, tokenize
from pausepoint.cypher.limits import limit_rows
from pausepoint.cypher.literals import Parameters, name_columns
from pausepoint.cypher.parser import parse
from pausepoint.cypher.printer import print_query
from pausepoint.cypher.rewrite import modernise
from pausepoint.cypher.rules import GuardedQuery, GuardRules
from pausepoint.cypher.tenancy import add_tenant
from pausepoint.cypher.verify import verify

DEFAULT_RULES = GuardRules()


def guard(
    query: str, rules: GuardRules = DEFAULT_RULES, params: Mapping[str, Any] | None = None
) -> GuardedQuery:
    """Check a query and return what may run in its place.

    Args:
        query: Cypher from a model or a person.
        rules: What is allowed.
        params: Parameters the application passes with the query.

    Returns:
        The rewritten query with its parameters.

    Raises:
        CypherRefused: The query is not a reading query within the rules. Nothing else is raised, whatever the text.
    """
    try:
        return _guard(query, rules, dict(params or {}))
    except CypherRefused as refused:
        raise refused.located(query) from None
    except (RecursionError, MemoryError):
        raise CypherRefused("The query nests too deep.", rule="depth", hint="Flatten it.") from None
    except Exception as error:  # a fault of the guard must refuse, never let through
        reason = f"The guard failed on this query ({type(error).__name__})."
        raise CypherRefused(reason, rule="internal", hint="Write it more simply.") from error


def _guard(query: str, rules: GuardRules, params: dict[str, Any]) -> GuardedQuery:
    check_text(query, rules.max_chars)
    tree = read(query, rules)
    check(tree, rules, params)
    changes = bound_hops(tree, rules)
    changes += modernise(tree)
    changes += add_tenant(tree, rules)
    changes += limit_rows(tree, rules, params)
    name_columns(tree)
    parameters = Parameters(tree, params)
    parameters.replace_literals()
    text = print_query(tree)
    verify(text, tree, rules, parameters.added)
    return GuardedQuery(text, params | parameters.added, tuple(dict.fromkeys(changes)))


def read(query: str, rules: GuardRules) -> Query:
    """Parse a query under the size limits of the rules."""
    return parse(tokenize(query, rules.max_tokens), rules.max_depth, query)
