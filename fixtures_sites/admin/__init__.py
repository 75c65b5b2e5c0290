"""The shop's back office: orders, customers, products, prices, reviews, reports, content and settings."""
