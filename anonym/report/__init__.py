"""Evidence of a run, typed and checked, and its pages: JSON, HTML, terminal text, Markdown."""
