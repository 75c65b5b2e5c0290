"""What members of a project may do."""

ROLES = {10: "Guest", 20: "Reporter", 30: "Developer", 40: "Maintainer", 50: "Owner"}
GUEST, REPORTER, DEVELOPER, MAINTAINER, OWNER = ROLES
GRANTED = [(str(number), name) for number, name in ROLES.items() if number < OWNER]
"""Roles that can be given, as options of a list box."""
