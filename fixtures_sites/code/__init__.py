"""The fixture site `code`: a host of repositories, with issues, merge requests and members."""
