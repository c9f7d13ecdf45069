"""The open stores and models of this process, shared by graph nodes, routes and commands.

They are opened once per process and event loop, side by side; what is slow (the embedding model) is opened at
its first use or by `warm`. The data folder is held by this process while they are open.
"""

import asyncio
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from pausepoint.settings import Settings, get_settings

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from pausepoint.campaigns.cache import AnswerCache
    from pausepoint.campaigns.ingest import Ingest
    from pausepoint.campaigns.store import CampaignStore
    from pausepoint.campaigns.usage import UsageStore
    from pausepoint.campaigns.view import CampaignView
    from pausepoint.graphdb.port import GraphDatabase
    from pausepoint.models.embeddings.port import Embedder
    from pausepoint.models.task import ModelOptions
    from pausepoint.storage.database import Database
    from pausepoint.storage.folder import DataFolder
    from pausepoint.vectors.hybrid import HybridIndex
    from pausepoint.vectors.port import VectorStore

WARMED = 8
"""Campaigns, the latest changed first, that are made ready at start; others are at their first question."""


@dataclass
class Services:
    """Everything that is opened once; get it with `get_services`."""

    settings: Settings
    database: "Database"
    graph: "GraphDatabase"
    vectors: "VectorStore"
    embedder: "Embedder"
    hybrid: "HybridIndex"
    campaigns: "CampaignStore"
    ingest: "Ingest"
    cache: "AnswerCache"
    usage: "UsageStore"
    folder: "DataFolder | None" = None
    _views: dict[str, "CampaignView"] = field(default_factory=dict[str, "CampaignView"])
    _viewing: defaultdict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))
    _warming: "asyncio.Task[None] | None" = None

    @cached_property
    def chat_model(self) -> "BaseChatModel | None":
        """The configured chat model, None when none is (offline)."""
        from pausepoint.models.chat import open_chat_model

        return open_chat_model(self.settings)

    @cached_property
    def model_options(self) -> "ModelOptions":
        """How the chat model is called."""
        from pausepoint.models.task import ModelOptions

        return ModelOptions(retries=self.settings.model_retries, timeout=self.settings.model_timeout)

    def collection(self, uuid: str) -> str:
        """The vector collection of a campaign."""
        from pausepoint.campaigns.ids import collection_name

        return collection_name(uuid)

    async def view(self, uuid: str) -> "CampaignView":
        """A campaign in memory as it is now; made anew only when it has changed. Raises `UnknownCampaign`."""
        row = await self.campaigns.find(uuid)
        known = self._views.get(row.uuid)
        if known and known.version == row.revision:
            return known
        async with self._viewing[row.uuid]:
            return await self._make_view(row.uuid)

    async def _make_view(self, uuid: str) -> "CampaignView":
        from pausepoint.campaigns.view import build_view

        row = await self.campaigns.find(uuid)
        known = self._views.get(uuid)
        if known and known.version == row.revision:
            return known
        hits = await self.vectors.scroll(row.collection)
        made = await asyncio.to_thread(build_view, row.campaign, row.graph_label, row.revision, hits)
        self._views[uuid] = made
        return made

    def warm(self) -> None:
        """Begin, in the background, to load what the first question waits for, and to mend what a crash left."""
        if self._warming is None:
            self._warming = asyncio.create_task(self._warm())

    async def _warm(self) -> None:
        import structlog

        from pausepoint.errors import PausepointError

        try:
            await asyncio.gather(self.embedder.warm(), self.graph.ready())
            await self.ingest.heal()
            rows = sorted(await self.campaigns.all(), key=lambda row: row.updated_at, reverse=True)
            for row in rows[:WARMED]:
                await asyncio.gather(self.view(row.uuid), self.hybrid.warm(row.collection))
        except PausepointError as error:
            structlog.get_logger(__name__).warning("warming_failed", error=str(error))

    async def close(self) -> None:
        """Close everything; the data folder is free for others afterwards."""
        if self._warming is not None:
            self._warming.cancel()
            await asyncio.gather(self._warming, return_exceptions=True)
        try:
            await asyncio.gather(self.graph.close(), self.vectors.close(), self.database.close())
        finally:
            if self.folder is not None:
                self.folder.release()


_open: "WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Task[Services]]" = WeakKeyDictionary()


async def get_services(settings: Settings | None = None) -> Services:
    """The services of this process and event loop, opened at the first call.

    Args:
        settings: where the stores are; only the first call's count.

    Raises:
        DataFolderHeld: another process holds the data folder; the error says which.
        PausepointError: a store cannot be opened.
    """
    loop = asyncio.get_running_loop()
    task = _open.get(loop)
    if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
        task = _open[loop] = asyncio.create_task(open_services(settings or get_settings()))
    return await asyncio.shield(task)


async def close_services() -> None:
    """Close what `get_services` opened on this event loop."""
    task = _open.pop(asyncio.get_running_loop(), None)
    if task is not None:
        await (await task).close()


async def open_services(settings: Settings) -> Services:
    """Open a set of services of one's own; see `get_services`."""
    folder = await asyncio.to_thread(_hold, settings)
    try:
        return await _open_all(settings, folder)
    except BaseException:
        if folder is not None:
            folder.release()
        raise


def _hold(settings: Settings) -> "DataFolder | None":
    """Hold the data folder, unless another part of this process (the server) does."""
    import os

    from pausepoint.storage.folder import DataFolder, holder

    # Asked first: `hold` waits a while for whoever has it.
    held = holder(settings.data)
    if held and held.pid == os.getpid():
        return None
    return DataFolder.hold(settings.data, "campaigns")


async def _open_all(settings: Settings, folder: "DataFolder | None") -> Services:
    from pausepoint.campaigns.cache import AnswerCache
    from pausepoint.campaigns.ingest import Ingest
    from pausepoint.campaigns.store import CampaignStore
    from pausepoint.campaigns.usage import UsageStore
    from pausepoint.graphdb.open import open_graph
    from pausepoint.models.embeddings.open import open_embedder
    from pausepoint.storage.database import Database
    from pausepoint.vectors.hybrid import HybridIndex
    from pausepoint.vectors.open import open_vectors

    embedder = open_embedder(settings)
    opened = await asyncio.gather(
        Database.open(settings.data / "pausepoint.sqlite"),
        open_graph(settings),
        open_vectors(settings),
        return_exceptions=True,
    )
    database, graph, vectors = opened
    if (
        isinstance(database, BaseException)
        or isinstance(graph, BaseException)
        or isinstance(vectors, BaseException)
    ):
        await asyncio.gather(*(store.close() for store in opened if not isinstance(store, BaseException)))
        raise next(error for error in opened if isinstance(error, BaseException))
    store = CampaignStore(database)
    return Services(
        settings=settings,
        database=database,
        graph=graph,
        vectors=vectors,
        embedder=embedder,
        hybrid=HybridIndex(vectors, embedder),
        campaigns=store,
        ingest=Ingest(store, vectors, graph, embedder),
        cache=AnswerCache(database, settings.answer_cache_seconds),
        usage=UsageStore(database),
        folder=folder,
    )
