"""The store's items in the database: LangGraph's long-term memory across threads."""
