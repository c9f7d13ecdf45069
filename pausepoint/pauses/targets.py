"""Where the server may send to: public addresses, and hosts that the operator named. Nothing inside the network else."""

import asyncio
import ipaddress
import socket
from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import urlsplit

from pausepoint.errors import PausepointError

_PORTS = {"http": 80, "https": 443}


class ForbiddenTarget(PausepointError):
    """An address that is not sent to."""


@dataclass(frozen=True)
class Target:
    """Where a request really goes: the checked address, so that a name that changes meanwhile leads nowhere else."""

    url: str
    host: str
    name: str


async def resolve(url: str, allowed: Collection[str]) -> Target:
    """Check a target and pin its address.

    Args:
        url: http or https.
        allowed: Hosts (host or host:port) that need not be public.

    Raises:
        ForbiddenTarget: It is none, or leads into a network that is not public.
    """
    parts = urlsplit(url)
    if parts.scheme not in _PORTS or not parts.hostname or parts.username or parts.password:
        raise ForbiddenTarget(f"{url!r} is no http or https address without a login.")
    try:
        port = parts.port or _PORTS[parts.scheme]
    except ValueError as error:
        raise ForbiddenTarget(f"{url!r} has no valid port.") from error
    name = parts.hostname.lower()
    address = await _address(name, port, public=not {name, f"{name}:{port}"} & set(allowed))
    literal = f"[{address}]" if ":" in address else address
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    host = name if port == _PORTS[parts.scheme] else f"{name}:{port}"
    return Target(f"{parts.scheme}://{literal}:{port}{path}", host, name)


async def _address(name: str, port: int, *, public: bool) -> str:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(name, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise ForbiddenTarget(f"The host {name!r} cannot be found: {error}.") from error
    addresses = [str(entry[4][0]) for entry in found]
    if public and not all(_is_public(address) for address in addresses):
        raise ForbiddenTarget(
            f"The host {name!r} is not public; name it in PAUSEPOINT_WEBHOOK_TARGETS if it may be sent to."
        )
    return addresses[0]


def _is_public(text: str) -> bool:
    address = ipaddress.ip_address(text.split("%")[0])
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return address.is_global and not address.is_multicast
