"""The commands: each parses, calls the library, and hands what comes back to a reporter.

A module here is imported for every `tdebug --help`, so it imports what is heavy in its function.
"""
