"""Configuration from the environment and `.env`; every default works with no key and no server."""

from functools import lru_cache
from pathlib import Path

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """All settings; the environment's names are in `.env.example`."""

    model_config = SettingsConfigDict(
        env_prefix="PAUSEPOINT_", env_file=".env", extra="ignore", populate_by_name=True
    )

    data: Path = Path(".data")
    """Folder of everything that is kept: SQLite, graph, vectors."""
    url: str = "http://127.0.0.1:2024"
    """Where the commands look for a running server."""

    graph_uri: str = Field(default="", validation_alias="GRAPH_URI")
    graph_user: str = Field(default="neo4j", validation_alias="GRAPH_USER")
    graph_password: SecretStr = Field(default=SecretStr(""), validation_alias="GRAPH_PASSWORD")
    graph_reader_user: str = Field(default="", validation_alias="GRAPH_READER_USER")
    """Read-only login for generated queries; empty: GRAPH_USER in read transactions."""
    graph_reader_password: SecretStr = Field(default=SecretStr(""), validation_alias="GRAPH_READER_PASSWORD")
    graph_database: str = Field(default="neo4j", validation_alias="GRAPH_DATABASE")
    graph_read_timeout: float = 30.0
    """Seconds after which a generated query is stopped."""
    graph_heap: str = "128m"
    """Memory of the embedded graph's engine; its process takes about 25 MB more. Raise it for 100,000 nodes."""

    qdrant_url: str = Field(default="", validation_alias="QDRANT_URL")
    embeddings: str = "bundled"

    model: str = ""
    """Chat model as provider:name, for example openai:gpt-4o-mini or ollama:qwen2.5:7b; empty: offline."""
    model_base_url: str = ""
    model_api_key: SecretStr = SecretStr("")
    model_timeout: float = 30.0
    model_retries: int = 2

    debug: bool = False
    """Answers carry debugInfo."""
    answer_cache_seconds: float = 300.0


@lru_cache
def get_settings() -> Settings:
    """The process's settings, read once."""
    return Settings()
