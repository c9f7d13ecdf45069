import sqlite3

import pytest

from pausepoint.pauses.decisions import append, export, verify
from pausepoint.pauses.outbox import signature
from pausepoint.pauses.sniff import sniff
from pausepoint.pauses.targets import ForbiddenTarget, resolve
from pausepoint.storage.database import Database


@pytest.fixture
async def database(tmp_path):
    async with await Database.open(tmp_path / "p.sqlite") as found:
        yield found


async def test_the_chain_names_the_first_broken_entry(database, tmp_path):
    for number in range(10):
        await database.write(
            lambda conn, n=number: append(conn, {"at": "t", "answer": n, "text": "zażółć\ud800"})
        )
    verdict = await database.read(verify)
    assert (verdict.entries, verdict.intact) == (10, True)
    assert [e["answer"] for e in await database.read(lambda c: list(export(c)))] == list(range(10))
    with sqlite3.connect(tmp_path / "copy.sqlite") as copy:
        with sqlite3.connect(tmp_path / "p.sqlite") as source:
            source.backup(copy)
        copy.execute("DROP TRIGGER decisions_are_kept")
        copy.execute("DROP TRIGGER decisions_are_fixed")
        copy.execute("DELETE FROM decisions WHERE seq = 4")
        assert (verify(copy).broken_at, verify(copy).entries) == (5, 3)


@pytest.mark.parametrize("sql", ["DELETE FROM decisions", "UPDATE decisions SET hash = 'x'"])
async def test_nothing_on_record_can_be_changed(database, sql):
    await database.write(lambda conn: append(conn, {"at": "t"}))
    with pytest.raises(Exception, match="append-only"):
        await database.write(lambda conn: conn.execute(sql).rowcount)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/x",
        "http://localhost:8080",
        "http://[::1]/",
        "http://169.254.169.254/latest/meta-data",
        "http://10.0.0.1/",
        "http://[::ffff:127.0.0.1]/",
        "http://0.0.0.0/",
        "http://2130706433/",
        "file:///etc/passwd",
        "gopher://example.org/",
        "http://user:pw@example.org/",
        "http://127.0.0.1:99999/",
        "https://",
    ],
)
async def test_webhooks_reach_nothing_inside(url):
    with pytest.raises(ForbiddenTarget):
        await resolve(url, frozenset())


async def test_the_operator_may_name_a_host_inside():
    target = await resolve("http://127.0.0.1:9000/a?b=1", frozenset({"127.0.0.1:9000"}))
    assert (target.url, target.host) == ("http://127.0.0.1:9000/a?b=1", "127.0.0.1:9000")
    with pytest.raises(ForbiddenTarget):
        await resolve("http://127.0.0.1:9001/", frozenset({"127.0.0.1:9000"}))


def test_signatures_depend_on_everything():
    known = {signature(s, b, t) for s in (b"a", b"b") for b in (b"x", b"y") for t in (1, 2)}
    assert len(known) == 8


@pytest.mark.parametrize(
    ("head", "declared", "name", "kind"),
    [
        (b"\xff\xd8\xff\xe0", None, "", "image/jpeg"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", None, "", "image/webp"),
        (b"%PDF-1.7", "text/plain", "a.txt", "application/pdf"),
        (b"# Title", None, "a.md", "text/markdown"),
        (b'{"a": 1}', "application/json", "", "application/json"),
        ("żó".encode()[:-1], None, "", "text/plain"),
        (b"  <SVG onload=1>", "text/plain", "", "text/html"),
        (b"\xde\xad\xbe\xef", "text/plain", "", "application/octet-stream"),
    ],
)
def test_files_are_what_they_hold(head, declared, name, kind):
    assert sniff(head, declared, name) == kind
