"""A map and place search, in the manner of OpenStreetMap's and Google's."""
