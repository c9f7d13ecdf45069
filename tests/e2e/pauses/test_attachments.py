"""Attachments: uploaded first, sniffed, stored once, named in answers, gone with their last thread."""

import httpx
import pytest
from pause_pictures import png


async def upload(desk, content, name="a.png", kind="image/png"):
    headers = {"Content-Type": kind, "X-Filename": name}
    return await desk.http.post("/attachments", content=content, headers=headers)


async def test_upload_name_it_in_an_answer_and_read_it(desk):
    found = (await upload(desk, png(), name="../../ev%22il.png")).json()
    assert (found["type"], found["name"]) == ("image/png", "evil.png")
    thread, _ = await desk.paused("photo")
    assert (await desk.resume(thread, "photo", {"photo": "nowhere"})).json()["errors"][0][
        "code"
    ] == "attachment"
    done = await desk.resume(thread, "photo", {"photo": found["attachment_id"]})
    assert done.json()["steps"][0] == {"photo": found["attachment_id"]}
    [pause] = await desk.inbox(thread_id=thread, status="answered")
    told = (await desk.http.get(f"/inbox/{pause['pause_id']}/history")).json()
    assert told[0]["attachments"][0]["sha256"] == found["sha256"]
    place = f"/attachments/{found['attachment_id']}"
    got = await desk.http.get(f"{place}/content")
    assert got.content == png()
    assert got.headers["x-content-type-options"] == "nosniff"
    assert (await desk.http.delete(place)).status_code == 409


async def test_a_form_upload_and_one_file_for_equal_contents(desk):
    first = (await upload(desk, png(b"same"))).json()
    second = await desk.http.post("/attachments", files={"file": ("b.png", png(b"same"), "image/png")})
    assert second.status_code == 201
    assert second.json()["sha256"] == first["sha256"]
    assert second.json()["attachment_id"] != first["attachment_id"]
    files = [p for p in (desk.served.data / "attachments").glob("*/*") if p.name == first["sha256"]]
    assert len(files) == 1
    assert (await desk.http.delete(f"/attachments/{first['attachment_id']}")).status_code == 204
    assert (await desk.http.get(f"/attachments/{second.json()['attachment_id']}/content")).content == png(
        b"same"
    )


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"", "image/png", 422),
        (b"MZ\x90 not a picture", "image/png", 422),
        (b"<svg onload=alert(1)>", "image/png", 422),
        (b"<html><script>", "text/plain", 422),
        (b"PK\x03\x04 zip", "application/zip", 422),
        (b"\x00\x01\x02", "text/plain", 422),
        (b"plain words", "text/plain", 201),
        ("zażółć".encode() * 400, "text/plain", 201),
        (b"x" * 100_001, "text/plain", 413),
    ],
)
async def test_what_is_inside_counts(desk, content, kind, status):
    assert (await upload(desk, content, "f", kind)).status_code == status
    assert list((desk.served.data / "attachments").glob("incoming-*")) == []


async def test_the_wrong_type_for_a_field(desk):
    text = (await upload(desk, b"words", "a.txt", "text/plain")).json()
    thread, _ = await desk.paused("photo")
    refused = await desk.resume(thread, "photo", {"photo": text["attachment_id"]})
    assert refused.json()["errors"][0]["code"] == "attachment_type"
    assert len(await desk.waiting(thread)) == 1


async def test_an_upload_that_breaks_off_leaves_nothing(desk):
    async def half():
        yield png()[:20]
        raise ConnectionError

    with pytest.raises((ConnectionError, httpx.HTTPError)):
        await desk.http.post("/attachments", content=half(), headers={"Content-Type": "image/png"})
    assert (await desk.http.get("/ok")).status_code == 200
