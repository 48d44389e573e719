"""Small frames drawn on matplotlib axes."""
