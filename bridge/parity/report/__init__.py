"""Reports of a comparison: HTML, JUnit and figures."""
