"""The hash chain of a ledger, as docs/schema.md describes it; no line of it is pawl's."""

import hashlib

COLUMNS = """seq, at, format, kind, app, version, subject, before, after, impact, actor, reason, evidence,
             request_id, request, answer, schedules, command, also"""


def chained(ledger):
    """Yields the columns of each event in order; raises ValueError at the first that is not chained to the one before.

    The numbers count up from 1 without gaps, and each hash is that of the event's fields and of the hash before it.
    """
    before, count = "0" * 64, 0
    for *fields, found in ledger.execute(f"SELECT {COLUMNS}, hash FROM event_row ORDER BY seq"):
        digest = hashlib.sha256()
        for field in ["pawl event", before, *fields]:
            text = str(field).encode()
            digest.update(b"\0" if field is None else b"\1" + len(text).to_bytes(8, "big") + text)
        count += 1
        if fields[0] != count:
            raise ValueError(f"event {fields[0]} stands where {count} should")
        if digest.hexdigest() != found:
            raise ValueError(f"event {fields[0]} has another hash")
        yield fields
        before = found
