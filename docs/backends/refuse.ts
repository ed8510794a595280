// Refuses clients that have to update, in a server of Node, by the package "pg" or one like it.
import type { IncomingMessage, ServerResponse } from "node:http";

interface Database {
  query(text: string, values: unknown[]): Promise<{ rows: Record<string, string>[] }>;
}

/** Answers 426 to a client that has to update, and says whether it did. */
export async function refuse(request: IncomingMessage, response: ServerResponse, database: Database): Promise<boolean> {
  const asked = ["x-app", "x-app-version", "x-os-version"].map((name) => request.headers[name] ?? null);
  const row = await database
    .query("SELECT action, target, target_app, url FROM pawl.ask($1, $2, NULL, $3)", asked)
    .then((found) => found.rows[0], () => undefined); // A database that cannot be reached refuses no one.
  if (row?.action !== "force") return false;
  response.writeHead(426, { Upgrade: `${row.target_app}/${row.target}`, Connection: "upgrade" }).end(row.url);
  return true;
}
