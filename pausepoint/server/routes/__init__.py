"""The HTTP API: a file a resource."""
