"""Refuses clients that have to update, in a handler of http.server, by a pool of psycopg_pool or psycopg2.pool."""

QUERY = "SELECT action, url FROM pawl.ask(%s, %s, NULL, %s)"


def refuse(handler, pool):
    """Answers 426 to a client that has to update, and says whether it did."""
    row = None
    try:
        database = pool.getconn()
        try:
            with database.cursor() as cursor:
                cursor.execute(QUERY, [handler.headers.get(name) for name in ("X-App", "X-App-Version", "X-OS-Version")])
                row = cursor.fetchone()
        finally:
            pool.putconn(database)  # Rolled back, or closed if it is lost, so that the next request starts anew.
    except Exception:
        pass  # A database that cannot be reached refuses no one.
    if not row or row[0] != "force":
        return False
    body = row[1].encode()
    handler.send_response(426)
    handler.send_header("Content-Type", "text/plain")
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)
    return True
