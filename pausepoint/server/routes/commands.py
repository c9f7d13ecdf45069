"""The thread stream protocol of newer SDKs: commands in, one filtered stream of events out."""

from pausepoint.server.routes.common import router

routes = router("Thread stream")
