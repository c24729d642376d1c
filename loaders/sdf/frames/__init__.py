"""The SDFormat frame graphs: scopes of names, attachment and poses."""
