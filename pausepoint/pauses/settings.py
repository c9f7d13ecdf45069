"""Settings of the pauses, from the environment (`PAUSEPOINT_...`) and `.env`."""

import secrets
from pathlib import Path

from pydantic import SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class PauseSettings(BaseSettings):
    """Where news about pauses goes, and how effects leave."""

    model_config = SettingsConfigDict(env_prefix="PAUSEPOINT_", env_file=".env", extra="ignore")

    webhook_url: str = ""
    """Gets opened, reminded, answered, expired and so on of every pause."""
    webhook_secret: SecretStr = SecretStr("")
    """Signs what is sent; empty: one is made and kept in the data folder."""
    webhook_targets: str = ""
    """Hosts (host or host:port, with commas) that may be sent to although they are not public."""
    smtp_host: str = ""
    smtp_port: int = 25
    smtp_sender: str = "pausepoint@localhost"
    attachment_bytes: int = 20 * 1024 * 1024

    @property
    def allowed_targets(self) -> frozenset[str]:
        """The hosts as a set."""
        return frozenset(part.strip().lower() for part in self.webhook_targets.split(",") if part.strip())


def signing_secret(settings: PauseSettings, data: Path) -> bytes:
    """The secret that signs webhooks; made at the first use, readable by the owner only."""
    given = settings.webhook_secret.get_secret_value()
    if given:
        return given.encode()
    path = data / "webhook-secret"
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_hex(32))
    return path.read_text().strip().encode()
