// Refuses clients that have to update, in a server of Node, by a pool of the package "pg" or one like it.
import type { IncomingMessage, ServerResponse } from "node:http";

interface Pool {
  query(text: string, values: unknown[]): Promise<{ rows: Record<string, string>[] }>;
}

/** Answers 426 to a client that has to update, and says whether it did. */
export async function refuse(request: IncomingMessage, response: ServerResponse, pool: Pool): Promise<boolean> {
  const asked = ["x-app", "x-app-version", "x-os-version"].map((name) => request.headers[name] ?? null);
  const row = await pool
    .query("SELECT action, url FROM pawl.ask($1, $2, NULL, $3)", asked)
    .then((found) => found.rows[0], () => undefined); // A database that cannot be reached refuses no one.
  if (row?.action !== "force") return false;
  response.writeHead(426, { "Content-Type": "text/plain" }).end(row.url);
  return true;
}
