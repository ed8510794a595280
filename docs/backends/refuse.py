"""Refuses clients that have to update, in a handler of http.server, by psycopg or psycopg2."""

QUERY = "SELECT action, target, target_app, url FROM pawl.ask(%s, %s, NULL, %s)"


def refuse(handler, database):
    """Answers 426 to a client that has to update, and says whether it did."""
    try:
        with database.cursor() as cursor:
            cursor.execute(QUERY, [handler.headers.get(name) for name in ("X-App", "X-App-Version", "X-OS-Version")])
            row = cursor.fetchone()
    except database.Error:
        row = None  # A database that cannot be reached refuses no one.
    if not row or row[0] != "force":
        return False
    body = row[3].encode()
    handler.send_response(426)
    handler.send_header("Upgrade", f"{row[2]}/{row[1]}")
    handler.send_header("Connection", "upgrade")
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)
    return True
