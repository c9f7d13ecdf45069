"""Attachments over HTTP: upload before answering, look at them, take them back."""

from collections.abc import AsyncIterator
from typing import Annotated, Any
from urllib.parse import quote, unquote

from fastapi import Path
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from pausepoint.pauses import attachments
from pausepoint.pauses.routes import pauses_of
from pausepoint.pauses.rows import Actor
from pausepoint.server.errors import Conflict, Invalid, NotFound
from pausepoint.server.routes.common import allowed, answer, engine_of, nothing, router, user_data
from pausepoint.server.tables import threads as threads_table

routes = router("Attachments")
Key = Annotated[str, Path(max_length=64)]
_CHUNK = 256 * 1024
_SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cache-Control": "private, max-age=31536000, immutable",
}


@routes.post("/attachments", summary="Upload an attachment", status_code=201)
async def upload(request: Request) -> Response:
    """The body is the file (name in X-Filename), or a multipart form with one file. The id goes into an answer."""
    owner = Actor.of(user_data(request)).identity
    place = pauses_of(request).attachments
    declared = request.headers.get("content-type")
    if not (declared or "").startswith("multipart/form-data"):
        name = unquote(request.headers.get("x-filename", ""))
        return answer(await place.add(request.stream(), name=name, declared=declared, owner=owner), 201)
    async with request.form(max_files=1, max_fields=10) as form:
        files = [value for value in form.values() if isinstance(value, UploadFile)]
        if not files:
            raise Invalid("The form holds no file.")
        file = files[0]
        found = await place.add(
            _chunks(file), name=file.filename or "", declared=file.content_type, owner=owner
        )
    return answer(found, 201)


async def _chunks(file: UploadFile) -> AsyncIterator[bytes]:
    while chunk := await file.read(_CHUNK):
        yield chunk


@routes.get("/attachments/{attachment_id}", summary="Describe an attachment")
async def get(request: Request, attachment_id: Key) -> Response:
    """Name, type, size and hash; for its owner, and for whoever may see a thread that uses it."""
    return answer(await _visible(request, attachment_id))


@routes.get("/attachments/{attachment_id}/content", summary="Get an attachment's content")
async def content(request: Request, attachment_id: Key) -> Response:
    """The file; browsers save it rather than show it."""
    found = await _visible(request, attachment_id)
    headers = {**_SAFE, "Content-Disposition": f"attachment; filename*=UTF-8''{quote(found['name'])}"}
    path = pauses_of(request).attachments.path(found["sha256"])
    return FileResponse(path, media_type=found["type"], headers=headers)


@routes.delete("/attachments/{attachment_id}", summary="Take an attachment back", status_code=204)
async def delete(request: Request, attachment_id: Key) -> Response:
    """As long as no answer uses it."""
    owner = Actor.of(user_data(request)).identity

    def remove(conn: Any) -> None:
        row = attachments.get(conn, attachment_id)
        if row is None or row["owner"] != owner:
            raise NotFound("Attachment", attachment_id)
        if attachments.threads_of(conn, attachment_id):
            raise Conflict(f"The attachment {row['name']!r} is part of an answer; it goes with its thread.")
        conn.execute("DELETE FROM attachments WHERE attachment_id = ?", (attachment_id,))

    await engine_of(request).database.write(remove)
    return nothing()


async def _visible(request: Request, attachment_id: str) -> dict[str, Any]:
    filters = await allowed(request, "threads", "read", {"attachment_id": attachment_id})
    identity = Actor.of(user_data(request)).identity

    def read(conn: Any) -> dict[str, Any]:
        row = attachments.get(conn, attachment_id)
        if row is None:
            raise NotFound("Attachment", attachment_id)
        if row["owner"] != identity and not any(
            _sees(conn, thread_id, filters) for thread_id in attachments.threads_of(conn, attachment_id)
        ):
            raise NotFound("Attachment", attachment_id)
        return dict(row)

    return await engine_of(request).database.read(read)


def _sees(conn: Any, thread_id: str, filters: Any) -> bool:
    try:
        threads_table.row_of(conn, thread_id, filters)
    except NotFound:
        return False
    return True
