"""The server's tables: functions over a SQLite connection, to be called inside `Database.read` and `Database.write`."""
