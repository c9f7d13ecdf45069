"""The functions a query may call; whatever is not listed is refused."""

from pausepoint.cypher.keywords import words

AGGREGATES = words("avg collect count max min percentilecont percentiledisc stdev stdevp sum")
_LISTS = words(
    """coalesce head isempty keys labels last nodes range relationships reverse size tail tobooleanlist
    tofloatlist tointegerlist tostringlist"""
)
_SCALARS = words(
    """elementid endnode exists id length nullif properties randomuuid startnode timestamp toboolean
    tobooleanornull tofloat tofloatornull tointeger tointegerornull type valuetype char_length character_length"""
)
_MATHS = words(
    """abs acos asin atan atan2 ceil ceiling cos cosh cot coth degrees e exp floor haversin isnan log log10 pi
    radians rand round sign sin sinh sqrt tan tanh"""
)
_STRINGS = words(
    """btrim left lower ltrim normalize replace right rtrim split substring tolower tostring tostringornull
    toupper trim upper"""
)
_TIMES = words(
    """date date.realtime date.statement date.transaction date.truncate datetime datetime.fromepoch
    datetime.fromepochmillis datetime.realtime datetime.statement datetime.transaction datetime.truncate duration
    duration.between duration.indays duration.inmonths duration.inseconds localdatetime localdatetime.realtime
    localdatetime.statement localdatetime.transaction localdatetime.truncate localtime localtime.realtime
    localtime.statement localtime.transaction localtime.truncate time time.realtime time.statement time.transaction
    time.truncate"""
)
_SPACE = words(
    """distance point point.distance point.withinbbox property_exists vector vector_dimension_count
    vector_distance vector_norm vector.similarity.cosine vector.similarity.euclidean"""
)
ALLOWED_FUNCTIONS = AGGREGATES | _LISTS | _SCALARS | _MATHS | _STRINGS | _TIMES | _SPACE

# Spelt as the databases document them; looked up without regard to case.
_SPELLINGS = words(
    """percentileCont percentileDisc stDev stDevP isEmpty toBooleanList toFloatList toIntegerList
    toStringList elementId endNode startNode nullIf randomUUID toBoolean toBooleanOrNull toFloat toFloatOrNull
    toInteger toIntegerOrNull valueType isNaN toLower toString toStringOrNull toUpper datetime.fromEpoch
    datetime.fromEpochMillis duration.inDays duration.inMonths duration.inSeconds point.withinBBox"""
)
_CANONICAL = {name.lower(): name for name in _SPELLINGS}


def canonical_function(name: str) -> str:
    """Return the documented spelling of an allowed function; others come back in lower case."""
    return _CANONICAL.get(name.lower(), name.lower())
