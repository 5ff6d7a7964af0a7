"""The observers: each watches one thing and gives one frozen dataclass of facts."""
