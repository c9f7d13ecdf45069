"""What a person reads about a wrong answer, in Polish, English and German."""

from typing import Any

LANGUAGES = ("pl", "en", "de")

_TEXTS: dict[str, tuple[str, str, str]] = {
    "required": ("To pole jest wymagane.", "This field is required.", "Dieses Feld ist erforderlich."),
    "type": ("Oczekiwano: {expected}.", "Expected {expected}.", "Erwartet: {expected}."),
    "enum": ("Wybierz jedną z opcji: {options}.", "Choose one of: {options}.", "Wählen Sie aus: {options}."),
    "const": (
        "Oczekiwano wartości {value}.",
        "Expected the value {value}.",
        "Erwartet wird der Wert {value}.",
    ),
    "minLength": (
        "Za krótkie: co najmniej {limit} znaków.",
        "Too short: at least {limit} characters.",
        "Zu kurz: mindestens {limit} Zeichen.",
    ),
    "maxLength": (
        "Za długie: najwyżej {limit} znaków.",
        "Too long: at most {limit} characters.",
        "Zu lang: höchstens {limit} Zeichen.",
    ),
    "minimum": ("Co najmniej {limit}.", "At least {limit}.", "Mindestens {limit}."),
    "maximum": ("Najwyżej {limit}.", "At most {limit}.", "Höchstens {limit}."),
    "exclusiveMinimum": ("Więcej niż {limit}.", "More than {limit}.", "Mehr als {limit}."),
    "exclusiveMaximum": ("Mniej niż {limit}.", "Less than {limit}.", "Weniger als {limit}."),
    "multipleOf": ("Wielokrotność {limit}.", "A multiple of {limit}.", "Ein Vielfaches von {limit}."),
    "minItems": ("Co najmniej {limit} pozycji.", "At least {limit} items.", "Mindestens {limit} Einträge."),
    "maxItems": ("Najwyżej {limit} pozycji.", "At most {limit} items.", "Höchstens {limit} Einträge."),
    "uniqueItems": (
        "Pozycje nie mogą się powtarzać.",
        "Items must differ.",
        "Einträge dürfen sich nicht wiederholen.",
    ),
    "pattern": ("Nie pasuje do wzorca {pattern}.", "Does not match {pattern}.", "Passt nicht zu {pattern}."),
    "format": (
        "To nie jest poprawne: {format}.",
        "This is no valid {format}.",
        "Kein gültiges Format: {format}.",
    ),
    "additionalProperties": (
        "Nieznane pole: {unexpected}.",
        "Unknown field: {unexpected}.",
        "Unbekanntes Feld: {unexpected}.",
    ),
    "anyOf": (
        "Odpowiedź nie pasuje do żadnej z dozwolonych postaci.",
        "The answer fits none of the allowed shapes.",
        "Die Antwort passt zu keiner der erlaubten Formen.",
    ),
    "empty": ("Odpowiedź jest pusta.", "The answer is empty.", "Die Antwort ist leer."),
    "too_large": (
        "Odpowiedź ma {size} bajtów, dozwolone {limit}. Duże rzeczy dołącz jako załączniki.",
        "The answer has {size} bytes, allowed are {limit}. Attach large things instead.",
        "Die Antwort hat {size} Bytes, erlaubt sind {limit}. Hängen Sie Großes als Anhang an.",
    ),
    "attachment": (
        "Nie ma takiego załącznika: {value}.",
        "There is no attachment {value}.",
        "Es gibt keinen Anhang {value}.",
    ),
    "attachment_type": (
        "Załącznik jest typu {type}; dozwolone: {options}.",
        "The attachment is {type}; allowed: {options}.",
        "Der Anhang ist {type}; erlaubt: {options}.",
    ),
    "attachment_size": (
        "Załącznik ma {size} bajtów, dozwolone {limit}.",
        "The attachment has {size} bytes, allowed are {limit}.",
        "Der Anhang hat {size} Bytes, erlaubt sind {limit}.",
    ),
    "other": ("Niepoprawna wartość: {message}", "Wrong value: {message}", "Falscher Wert: {message}"),
}
_TYPES: dict[str, tuple[str, str, str]] = {
    "string": ("tekst", "text", "Text"),
    "number": ("liczba", "a number", "Zahl"),
    "integer": ("liczba całkowita", "a whole number", "ganze Zahl"),
    "boolean": ("tak lub nie", "yes or no", "Ja oder Nein"),
    "array": ("lista", "a list", "Liste"),
    "object": ("zestaw pól", "a set of fields", "Felder"),
    "null": ("puste", "nothing", "leer"),
}


def message(code: str, language: str, **values: Any) -> str:
    """The text of one problem.

    Args:
        code: The rule that was broken, a JSON Schema keyword or one of ours.
        language: pl, en or de; others read English.
        values: What the text names.
    """
    found = _TEXTS.get(code) or _TEXTS["other"]
    return found[_index(language)].format_map(_Known(values))


def type_name(name: str, language: str) -> str:
    """A JSON type in words."""
    found = _TYPES.get(name)
    return name if found is None else found[_index(language)]


def _index(language: str) -> int:
    short = language[:2].lower()
    return LANGUAGES.index(short) if short in LANGUAGES else 1


class _Known(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return "?"
