"""The API itself, on an embedded database."""
