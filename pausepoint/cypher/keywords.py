"""Words of the language: those that start a clause, those that are refused, those that must be quoted as names."""


def words(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


READ_CLAUSES = words("MATCH OPTIONAL WITH RETURN UNWIND CALL LET FILTER FINISH ORDER SKIP OFFSET LIMIT")

_WRITES = "it writes to the graph", "Only reading clauses may be used."
_SERVER = "it changes or lists what belongs to the server", "Only reading clauses may be used."
_FORBIDDEN: dict[str, tuple[str, str, str]] = {
    "CREATE MERGE SET REMOVE DELETE DETACH NODETACH INSERT FOREACH ON": ("write", *_WRITES),
    "LOAD": ("side-effect", "it reads files and addresses", "Match the data in the graph."),
    "USE": ("other-database", "the database is chosen by the application", "Remove USE."),
    "USING": ("hint", "planner hints are refused", "Remove the hint."),
    "SEARCH": ("side-effect", "index searches see every tenant", "Filter with WHERE."),
    "EXPLAIN PROFILE CYPHER": ("prefix", "the application decides how a query runs", "Remove the prefix."),
    "DEFINE PROCEDURE": ("procedure", "procedures are refused", "Use CALL { ... }."),
    """ALTER DROP SHOW GRANT DENY REVOKE START STOP TERMINATE ENABLE DRYRUN DEALLOCATE REALLOCATE RENAME
    BEGIN COMMIT ROLLBACK""": ("admin", *_SERVER),
}
FORBIDDEN_CLAUSES = {word: why for group, why in _FORBIDDEN.items() for word in words(group)}

# Quoted when they are names, so that no reader of the output can take a name for a clause.
RESERVED = (
    READ_CLAUSES
    | FORBIDDEN_CLAUSES.keys()
    | words(
        """ACYCLIC ALL ALLREDUCE ALLSHORTESTPATHS AND ANY ARRAY AS ASC ASCENDING ASSERT BOTH BY CASE CONSTRAINT
        CONTAINS COUNT COLLECT CSV DATABASE DESC DESCENDING DIFFERENT DISTINCT DO ELSE END ENDS EXISTS EXTRACT FALSE
        FIELDTERMINATOR FOR FROM GRAPH GRAPHS GROUP GROUPS HEADERS IN INDEX INF INFINITY IS JOIN LEADING MANDATORY
        NAN NEXT NONE NORMALIZED NOT NULL OF OPTION OPTIONS OR PATH PATHS PERIODIC REDUCE REPEATABLE REQUIRE SCALAR
        SCAN SHORTEST SHORTESTPATH SIMPLE SINGLE STARTS THEN TO TRAIL TRAILING TRANSACTION TRANSACTIONS TRIM TRUE
        TYPED UNION UNIQUE WALK WHEN WHERE XOR YIELD"""
    )
)
