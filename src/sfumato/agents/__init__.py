"""Doors for agents: tools over the Model Context Protocol, and a middleware for LangChain."""
