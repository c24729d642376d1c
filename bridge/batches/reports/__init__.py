"""The reports of a batch: one page, a summary, JUnit and SARIF."""
