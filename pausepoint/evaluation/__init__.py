"""Measuring answers against labelled questions (docs/formats.md has the file's format)."""
