"""The frame attached-to and pose relative-to graphs of SDFormat, scopes of names, and poses."""
