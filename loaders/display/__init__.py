"""Pictures and notebook cards of scenes, drawn from their shapes without a simulator."""
