"""The plugin's own tests: pytest inside pytest, against the real binary."""

pytest_plugins = ["pytester"]
