"""The structure that SARIF 2.1.0 requires of the elements that are written here, as a JSON
schema.
"""

from __future__ import annotations

TEXT = {
    "type": "object",
    "required": ["text"],
    "properties": {"text": {"type": "string", "minLength": 1}},
}
LOCATION = {
    "type": "object",
    "properties": {
        "physicalLocation": {
            "type": "object",
            "required": ["artifactLocation"],
            "properties": {
                "artifactLocation": {
                    "type": "object",
                    "properties": {"uri": {"type": "string", "format": "uri-reference"}},
                },
                "region": {
                    "type": "object",
                    "properties": {"startLine": {"type": "integer", "minimum": 1}},
                },
            },
        }
    },
}
RESULT = {
    "type": "object",
    "required": ["message"],
    "properties": {
        "message": TEXT,
        "level": {"enum": ["none", "note", "warning", "error"]},
        "ruleIndex": {"type": "integer", "minimum": -1},
        "locations": {"type": "array", "items": LOCATION},
    },
}
RULE = {
    "type": "object",
    "required": ["id"],
    "properties": {"shortDescription": TEXT, "help": TEXT},
}
DRIVER = {
    "type": "object",
    "required": ["name"],
    "properties": {"rules": {"type": "array", "items": RULE}},
}
RUN = {
    "type": "object",
    "required": ["tool"],
    "properties": {
        "tool": {"type": "object", "required": ["driver"], "properties": {"driver": DRIVER}},
        "invocations": {
            "type": "array",
            "items": {"type": "object", "required": ["executionSuccessful"]},
        },
        "results": {"type": "array", "items": RESULT},
        "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    },
}
SCHEMA = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {"version": {"const": "2.1.0"}, "runs": {"type": "array", "items": RUN}},
}
