"""Forms of results: text, trees, pictures, JSON, SARIF and annotations of GitHub."""
