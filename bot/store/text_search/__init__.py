"""Full-text search in what was remembered and in what was said: words, their stems, the index, and the ranking.

One index serves all chats, but a chat's search reads only its own part of it. Decisions 10 and 26 say why.
"""
