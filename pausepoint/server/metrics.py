"""Counters for Prometheus, in its text format."""

from dataclasses import dataclass, field


@dataclass
class Metrics:
    """What has happened since the start."""

    accepted: int = 0
    ended: dict[str, int] = field(default_factory=dict[str, int])
    requests: dict[int, int] = field(default_factory=dict[int, int])

    def text(self, *, working: int, waiting: int, streams: int) -> str:
        """The exposition.

        Args:
            working: Runs at work now.
            waiting: Runs that wait now.
            streams: Streams that are open now.
        """
        lines = [
            "# TYPE pausepoint_runs_accepted_total counter",
            f"pausepoint_runs_accepted_total {self.accepted}",
            "# TYPE pausepoint_runs_ended_total counter",
            *(f'pausepoint_runs_ended_total{{status="{k}"}} {v}' for k, v in sorted(self.ended.items())),
            "# TYPE pausepoint_requests_total counter",
            *(f'pausepoint_requests_total{{status="{k}"}} {v}' for k, v in sorted(self.requests.items())),
            "# TYPE pausepoint_runs_working gauge",
            f"pausepoint_runs_working {working}",
            "# TYPE pausepoint_runs_waiting gauge",
            f"pausepoint_runs_waiting {waiting}",
            "# TYPE pausepoint_streams_open gauge",
            f"pausepoint_streams_open {streams}",
        ]
        return "\n".join(lines) + "\n"
