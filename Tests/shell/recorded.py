"""What recorded sessions have in common."""

import re


def same(text):
    """A session's text without what differs from run to run: moments, spans, users, hashes, the width of columns."""
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ|\d{4}-\d\d-\d\d \d\d:\d\dZ", "TIME", text)
    text = re.sub(r"\S+@\S+", "USER", text)
    text = re.sub(r"\b[0-9a-f]{64}\b", "HASH", text)
    text = re.sub(r"\b\d+[smhd]( \d+[mh])?\b", "SPAN", text)
    return re.sub(r" +", " ", text)
