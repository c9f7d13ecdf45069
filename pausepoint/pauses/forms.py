"""What a node asks a person: a form, an approval, a choice, a clarification, or a review of many items.

A node pauses with `form.ask()`. What it returns may, under another server than ours, be anything: check it with
`form.errors(answer)`, in a node of its own, and lead an edge back; `graphs/ask_until_valid.py` is that as a subgraph.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from langgraph.types import interrupt

from pausepoint.pauses.check import field_errors
from pausepoint.pauses.fields import Boolean, Choice, Field, Label, Text, object_schema, text_in
from pausepoint.pauses.question import MARK

Json = dict[str, Any]
Kind = Literal["form", "clarification", "review", "approval", "choice"]
DIALECT = "https://json-schema.org/draft/2020-12/schema"
_DECISIONS: dict[str, Mapping[str, str]] = {
    "approve": {"pl": "Zatwierdź", "en": "Approve", "de": "Genehmigen"},
    "edit": {"pl": "Popraw", "en": "Edit", "de": "Bearbeiten"},
    "reject": {"pl": "Odrzuć", "en": "Reject", "de": "Ablehnen"},
}
_DECISION = {"pl": "Decyzja", "en": "Decision", "de": "Entscheidung"}
_COMMENT = {"pl": "Uwagi", "en": "Comment", "de": "Kommentar"}
_CHOICE = {"pl": "Wybór", "en": "Choice", "de": "Auswahl"}
_TEXT = {"pl": "Własna odpowiedź", "en": "Your own answer", "de": "Eigene Antwort"}
_FEEDBACK = {"pl": "Uwagi do całości", "en": "Feedback on the whole", "de": "Rückmeldung zum Ganzen"}


@dataclass(frozen=True)
class Deadline:
    """Until when somebody must answer, and what happens otherwise. The server keeps it, also across restarts."""

    due: datetime | float
    """A moment, or seconds from when the question opens."""
    remind_before: float | None = None
    """Seconds before `due` at which a reminder goes out."""
    default: Any = None
    """The answer that the policy gives; None with `otherwise` escalate or cancel."""
    otherwise: Literal["answer", "cancel", "escalate"] = "answer"
    escalate_to: str | None = None

    def show(self) -> Json:
        """As JSON."""
        due = self.due.isoformat() if isinstance(self.due, datetime) else self.due
        action: Json = {"action": self.otherwise}
        if self.otherwise == "answer":
            action["value"] = self.default
        if self.otherwise == "escalate":
            action["assignee"] = self.escalate_to
        return {"due": due, "remind_before": self.remind_before, "on_expiry": action}


@dataclass(frozen=True)
class Form:
    """A question with typed fields.

    Example:
        Form("Report a defect", [Text("site"), Number("severity", minimum=1, maximum=5, whole=True)])
    """

    title: Label
    fields: Sequence[Field] = ()
    kind: Kind = "form"
    message: Label = ""
    language: str = "en"
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What is filled in already."""
    assignee: str | None = None
    deadline: Deadline | None = None
    webhook: str | None = None
    context: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the question is about, shown as it is."""
    rules: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """More JSON Schema for the whole answer, for example `anyOf`."""
    action: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What inbox clients show as the action: `name` and `args`."""

    def schema(self) -> Json:
        """The JSON Schema (2020-12) of the answer."""
        title = text_in(self.title, self.language)
        return {
            "$schema": DIALECT,
            "title": title,
            **object_schema(self.fields, self.language),
            **self.rules,
        }

    def errors(self, answer: Any) -> list[Json]:
        """What is wrong with an answer: {"field", "path", "code", "message"} each."""
        return [error.show() for error in field_errors(answer, self.schema(), self.language)]

    def envelope(self, errors: Sequence[Mapping[str, Any]] = (), attempt: int = 1) -> Json:
        """What to interrupt with.

        Args:
            errors: What was wrong with the last answer.
            attempt: 1 for the first time it is asked.
        """
        title, message = text_in(self.title, self.language), text_in(self.message, self.language)
        name = str(self.action.get("name") or self.kind)
        args = self.action.get("args") or {"fields": [f.name for f in self.fields]}
        found: Json = {
            MARK: 1,
            "kind": self.kind,
            "title": title,
            "message": message or title,
            "schema": self.schema(),
            "ui": {
                "order": [f.name for f in self.fields],
                **{f.name: f.ui(self.language) for f in self.fields},
            },
            "values": dict(self.values),
            "errors": [dict(error) for error in errors],
            "attempt": attempt,
            "language": self.language,
            "context": dict(self.context),
            "action_requests": [{"name": name, "args": args, "description": message or title}],
            "review_configs": [{"action_name": name, "allowed_decisions": self._decisions()}],
        }
        if self.assignee:
            found["assignee"] = self.assignee
        if self.deadline:
            found["deadline"] = self.deadline.show()
        if self.webhook:
            found["webhook"] = self.webhook
        return found

    def ask(self, errors: Sequence[Mapping[str, Any]] = (), attempt: int = 1) -> Any:
        """Pause the run and return the answer when it comes.

        Nothing with an effect may stand before this in the same node: the node runs again from its top.
        """
        return interrupt(self.envelope(errors, attempt), response_schema=self.schema())

    def filled(self, values: Mapping[str, Any]) -> "Form":
        """The same form with values filled in."""
        return replace(self, values={**self.values, **values})

    def _decisions(self) -> list[str]:
        if self.kind == "approval":
            decision = next((f for f in self.fields if f.name == "decision"), None)
            return list(decision.options) if isinstance(decision, Choice) else ["approve", "reject"]
        return ["edit", "respond"] if self.kind in ("form", "review") else ["respond"]


def approval(
    title: Label,
    *,
    action: str,
    args: Mapping[str, Any],
    language: str = "en",
    editable: bool = False,
    **more: Any,
) -> Form:
    """Ask whether something may be done. The answer: {"decision": approve | reject (| edit), "comment"?, "args"?}.

    Args:
        title: The question.
        action: What would be done.
        args: With which arguments.
        language: pl, en or de.
        editable: Whether the arguments may be changed (decision `edit` with new `args`).
        more: As for `Form`.
    """
    allowed = {k: v for k, v in _DECISIONS.items() if editable or k != "edit"}
    fields: list[Field] = [
        Choice("decision", _DECISION, options=allowed),
        Text("comment", _COMMENT, required=False, multiline=True),
    ]
    rules: Json = {}
    if editable:
        properties = object_schema(fields, language)["properties"]
        rules["properties"] = {**properties, "args": {"type": "object"}}
        rules["if"] = {"properties": {"decision": {"const": "edit"}}}
        rules["then"] = {"required": ["args"]}
    return Form(
        title,
        fields,
        "approval",
        language=language,
        rules=rules,
        action={"name": action, "args": dict(args)},
        **more,
    )


def choice(
    title: Label, options: Sequence[str] | Mapping[str, Label], *, language: str = "en", **more: Any
) -> Form:
    """Ask for one of several. The answer: {"choice": value}."""
    return Form(title, [Choice("choice", _CHOICE, options=options)], "choice", language=language, **more)


def clarification(message: Label, options: Sequence[str], *, language: str = "en", **more: Any) -> Form:
    """Ask back with options that may also be answered freely. The answer: {"choice": …} or {"text": …}."""
    fields: list[Field] = [
        Choice("choice", _CHOICE, required=False, options=options),
        Text("text", _TEXT, required=False, max_length=500, min_length=1, multiline=True),
    ]
    rules = {"anyOf": [{"required": ["choice"]}, {"required": ["text"]}]}
    return Form(message, fields, "clarification", message, language, rules=rules, **more)


def review(
    title: Label,
    items: Sequence[Mapping[str, Any]],
    *,
    content: Mapping[str, Any] | None = None,
    language: str = "en",
    **more: Any,
) -> Form:
    """Ask about many items at once: each is approved, edited or rejected.

    Args:
        title: What they are.
        items: Each with `id` and whatever a person should see.
        content: JSON Schema of an edited item's content; anything otherwise.
        language: pl, en or de.
        more: As for `Form`.

    Returns:
        A form whose answer is {"items": {id: {"decision", "content"?, "comment"?}}, "feedback"?}, complete: every item
        has its decision.
    """
    one = {
        **object_schema(
            [Choice("decision", _DECISION, options=_DECISIONS), Text("comment", _COMMENT, required=False)],
            language,
        ),
        "if": {"properties": {"decision": {"const": "edit"}}, "required": ["decision"]},
        "then": {"required": ["content"]},
    }
    one["properties"] = {**one["properties"], "content": dict(content or {})}
    ids = [str(item["id"]) for item in items]
    rules = {
        "properties": {
            "items": {
                "type": "object",
                "properties": dict.fromkeys(ids, one),
                "required": ids,
                "additionalProperties": False,
            },
            "feedback": Text("feedback", _FEEDBACK, required=False, multiline=True).schema(language),
        },
        "required": ["items"],
    }
    given = {**(more.pop("context", None) or {}), "items": [dict(item) for item in items]}
    return Form(title, (), "review", language=language, rules=rules, context=given, **more)


def consent(title: Label, label: Label, *, language: str = "en", **more: Any) -> Form:
    """Ask for a consent that must be given to go on."""
    return Form(title, [Boolean("agreed", label, must_be_true=True)], language=language, **more)
