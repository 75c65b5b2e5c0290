"""A forum: boards, threads, replies, votes, messages, moderation."""
