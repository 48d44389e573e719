"""Period in, sections, HTML and PDF out."""
