"""Lets LangGraph Studio's page reach a server on this machine: browsers ask for that in a preflight of its own.

`pausepoint serve` answers it itself. `langgraph dev` refuses it (its Starlette is newer than its configuration), but
puts the middleware of `http.app` before all of its routes.
"""

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

_STUDIO = r"https://([a-z]+\.)?smith\.langchain\.com"


class StudioPreflight:
    """Answers preflights that ask for a private network; everything else passes."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand before this app."""
        self.app = app
        self._cors = CORSMiddleware(
            app,
            allow_origin_regex=_STUDIO,
            allow_methods=["*"],
            allow_headers=["*"],
            allow_private_network=True,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or pass on."""
        asked = (
            scope["type"] == "http"
            and scope["method"] == "OPTIONS"
            and "access-control-request-private-network" in Headers(scope=scope)
        )
        await (self._cors if asked else self.app)(scope, receive, send)
