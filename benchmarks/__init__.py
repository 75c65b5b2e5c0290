"""What the program costs, measured against others: `make bench` runs all, `python -m benchmarks PART` one."""
