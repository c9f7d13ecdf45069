"""The bodies that clients send; what is not named here is ignored, as older and newer SDKs send more."""

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

MAX_PAGE = 1000
Json = dict[str, Any]
Limit = Annotated[int, Field(ge=1, le=MAX_PAGE)]
Offset = Annotated[int, Field(ge=0, le=2**31)]
Name = Annotated[str, Field(min_length=1, max_length=256)]
StreamMode = Literal[
    "values",
    "messages",
    "updates",
    "events",
    "tasks",
    "checkpoints",
    "debug",
    "custom",
    "messages-tuple",
    "tools",
    "lifecycle",
]
Strategy = Literal["reject", "interrupt", "rollback", "enqueue"]
RunStatus = Literal["pending", "running", "error", "success", "timeout", "interrupted"]
ThreadStatus = Literal["idle", "busy", "interrupted", "error"]
Order = Literal["asc", "desc"]


class Body(BaseModel):
    """Base of all bodies."""

    model_config = ConfigDict(extra="ignore")


class Checkpoint(Body):
    """Names a checkpoint of a thread."""

    thread_id: UUID | None = None
    checkpoint_ns: str = ""
    checkpoint_id: str | None = None
    checkpoint_map: Json | None = None


class Config(Body):
    """A run's or assistant's configuration."""

    model_config = ConfigDict(extra="allow")
    tags: list[str] | None = None
    recursion_limit: Annotated[int, Field(ge=1, le=100_000)] | None = None
    configurable: Json | None = None


class SendTo(Body):
    """A node and what it gets."""

    node: str
    input: Any = None


class Command(Body):
    """Answers an interrupt, changes state, or jumps."""

    model_config = ConfigDict(extra="forbid")
    update: Json | list[tuple[str, Any]] | None = None
    resume: Any = None
    goto: str | SendTo | list[str | SendTo] | None = None


class AssistantCreate(Body):
    """A new assistant."""

    graph_id: str | None = None
    assistant_id: UUID | None = None
    config: Config | None = None
    context: Json | None = None
    metadata: Json | None = None
    name: Name | None = None
    description: str | None = None
    if_exists: Literal["raise", "do_nothing"] = "raise"


class AssistantPatch(Body):
    """Changes that make a new version."""

    graph_id: str | None = None
    config: Config | None = None
    context: Json | None = None
    metadata: Json | None = None
    name: Name | None = None
    description: str | None = None


class AssistantCount(Body):
    """Which assistants."""

    metadata: Json | None = None
    graph_id: str | None = None
    name: str | None = None


class AssistantSearch(AssistantCount):
    """Which assistants, how many, in which order."""

    limit: Limit = 10
    offset: Offset = 0
    sort_by: Literal["assistant_id", "graph_id", "name", "created_at", "updated_at"] | None = None
    sort_order: Order | None = None
    select: list[str] | None = None


class VersionsSearch(Body):
    """Which versions."""

    metadata: Json | None = None
    limit: Limit = 10
    offset: Offset = 0


class VersionChoice(Body):
    """The version to be the current one."""

    version: Annotated[int, Field(ge=1, le=2**31)]


class Ttl(Body):
    """When a thread goes away by itself."""

    ttl: Annotated[float, Field(gt=0, le=60 * 24 * 3660)] | None = None
    strategy: Literal["delete", "keep_latest"] = "delete"


class StateUpdate(Body):
    """One update of a superstep."""

    values: Json | list[Any] | None = None
    command: Command | None = None
    as_node: str


class Superstep(Body):
    """Updates that happened together."""

    updates: Annotated[list[StateUpdate], Field(min_length=1)]


class ThreadCreate(Body):
    """A new thread."""

    thread_id: UUID | None = None
    metadata: Json | None = None
    if_exists: Literal["raise", "do_nothing"] = "raise"
    ttl: Ttl | None = None
    supersteps: list[Superstep] | None = None


class ThreadPatch(Body):
    """Metadata to merge."""

    metadata: Json | None = None
    ttl: Ttl | None = None


class ThreadCount(Body):
    """Which threads."""

    metadata: Json | None = None
    values: Json | None = None
    status: ThreadStatus | None = None
    ids: Annotated[list[UUID], Field(max_length=MAX_PAGE)] | None = None


class ThreadSearch(ThreadCount):
    """Which threads, how many, in which order."""

    limit: Limit = 10
    offset: Offset = 0
    sort_by: Literal["thread_id", "status", "created_at", "updated_at", "state_updated_at"] | None = None
    sort_order: Order | None = None
    select: list[str] | None = None
    extract: Annotated[dict[str, str], Field(max_length=10)] | None = None


class ThreadsPrune(Body):
    """Threads to delete, or to reduce to their latest state."""

    thread_ids: Annotated[list[UUID], Field(max_length=MAX_PAGE)]
    strategy: Literal["delete", "keep_latest"] = "delete"


class StateWrite(Body):
    """A state update from outside."""

    values: Json | list[Any] | None = None
    as_node: str | None = None
    checkpoint: Checkpoint | None = None
    checkpoint_id: str | None = None


class StateRead(Body):
    """A state at a checkpoint."""

    checkpoint: Checkpoint
    subgraphs: bool = False
    select: list[str] | None = None


class HistoryRead(Body):
    """Which states of a thread."""

    limit: Limit = 10
    before: str | Checkpoint | None = None
    metadata: Json | None = None
    checkpoint: Checkpoint | None = None
    select: list[str] | None = None


class RunBody(Body):
    """What a run is to do."""

    assistant_id: Annotated[str, Field(min_length=1, max_length=256)]
    input: Any = None
    command: Command | None = None
    config: Config | None = None
    context: Json | None = None
    metadata: Json | None = None
    checkpoint: Checkpoint | None = None
    checkpoint_id: str | None = None
    checkpoint_during: bool | None = None
    durability: Literal["sync", "async", "exit"] | None = None
    stream_mode: StreamMode | list[StreamMode] | None = None
    stream_subgraphs: bool = False
    stream_resumable: bool = False
    interrupt_before: Literal["*"] | list[str] | None = None
    interrupt_after: Literal["*"] | list[str] | None = None
    feedback_keys: list[str] | None = None
    webhook: str | None = None
    multitask_strategy: Strategy | None = None
    if_not_exists: Literal["create", "reject"] = "reject"
    on_disconnect: Literal["cancel", "continue"] | None = None
    on_completion: Literal["delete", "keep"] | None = None
    after_seconds: Annotated[float, Field(ge=0, le=366 * 24 * 3600)] | None = None
    strict_resume: bool | None = None


class BatchRun(RunBody):
    """One run of a batch; with a thread it is an ordinary run, without one a stateless run."""

    thread_id: UUID | None = None


class CancelMany(Body):
    """Which runs to cancel."""

    thread_id: UUID | None = None
    run_ids: Annotated[list[UUID], Field(max_length=MAX_PAGE)] | None = None
    status: Literal["pending", "running", "all"] | None = None


class CronCreate(RunBody):
    """A run to be repeated."""

    schedule: Annotated[str, Field(min_length=1, max_length=256)]
    timezone: str | None = None
    end_time: str | None = None
    enabled: bool = True
    on_run_completed: Literal["delete", "keep"] | None = None


class CronPatch(Body):
    """Changes of a cron."""

    schedule: Annotated[str, Field(min_length=1, max_length=256)] | None = None
    timezone: str | None = None
    end_time: str | None = None
    enabled: bool | None = None
    input: Any = None
    metadata: Json | None = None
    config: Config | None = None
    context: Json | None = None
    webhook: str | None = None
    interrupt_before: Literal["*"] | list[str] | None = None
    interrupt_after: Literal["*"] | list[str] | None = None
    on_run_completed: Literal["delete", "keep"] | None = None
    stream_mode: StreamMode | list[StreamMode] | None = None
    stream_subgraphs: bool | None = None
    stream_resumable: bool | None = None
    durability: Literal["sync", "async", "exit"] | None = None


class CronCount(Body):
    """Which crons."""

    assistant_id: str | None = None
    thread_id: UUID | None = None
    metadata: Json | None = None


class CronSearch(CronCount):
    """Which crons, how many, in which order."""

    enabled: bool | None = None
    limit: Limit = 10
    offset: Offset = 0
    sort_by: (
        Literal[
            "cron_id", "assistant_id", "thread_id", "created_at", "updated_at", "next_run_date", "end_time"
        ]
        | None
    ) = None
    sort_order: Order | None = None
    select: list[str] | None = None


Label = Annotated[str, Field(min_length=1, max_length=512)]
Namespace = Annotated[list[Label], Field(max_length=32)]


class ItemPut(Body):
    """An item to store."""

    namespace: Annotated[list[Label], Field(min_length=1, max_length=32)]
    key: Annotated[str, Field(min_length=1, max_length=1024)]
    value: Json
    index: Literal[False] | list[str] | None = None
    ttl: Annotated[float, Field(gt=0, le=60 * 24 * 3660)] | None = None


class ItemDelete(Body):
    """An item to delete."""

    namespace: Namespace
    key: str


class ItemSearch(Body):
    """Which items."""

    namespace_prefix: Namespace = []
    filter: Json | None = None
    limit: Limit = 10
    offset: Offset = 0
    query: str | None = None
    refresh_ttl: bool | None = None


class NamespaceSearch(Body):
    """Which namespaces."""

    prefix: Namespace | None = None
    suffix: Namespace | None = None
    max_depth: Annotated[int, Field(ge=1, le=100)] | None = None
    limit: Limit = 100
    offset: Offset = 0


class ProtocolCommand(Body):
    """A command of the thread stream protocol."""

    id: Annotated[int, Field(ge=0, le=2**53)]
    method: str
    params: Json = {}


class EventsRequest(Body):
    """A subscription of the thread stream protocol."""

    channels: Annotated[list[str], Field(max_length=100)]
    namespaces: Annotated[list[list[str]], Field(max_length=100)] | None = None
    depth: Annotated[int, Field(ge=0, le=1000)] | None = None
    since: Annotated[int, Field(ge=0, le=2**53)] | None = None
