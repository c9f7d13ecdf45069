"""A read-only, tenant-safe guard for Cypher that somebody else wrote.

`guard` parses a query with its own grammar of the read language, refuses everything else with a position and a
reason, puts the tenant into every pattern, and returns what may run. It needs nothing but the standard library.
"""

from pausepoint.cypher.errors import CypherRefused
from pausepoint.cypher.guard import guard
from pausepoint.cypher.rules import GuardedQuery, GuardRules

__all__ = ["CypherRefused", "GuardRules", "GuardedQuery", "guard"]
