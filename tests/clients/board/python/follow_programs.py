"""What the second reading knows of the programs."""

# Programs whose settings say that something is left out.
TRIMS = {"trimmed-history"}
# The turn of the user with which a second conversation begins.
RESETS = {"new-conversation": "And what does it cost?"}
