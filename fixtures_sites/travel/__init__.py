"""The travel site: flights and hotels, searched, booked, changed."""
