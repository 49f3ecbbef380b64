import { type ConnectionOptions, connect } from "../../connection.ts";
import { printJson, printLine } from "../../print.ts";

export async function archiveSession(
  id: string,
  options: ConnectionOptions & { json?: boolean },
): Promise<undefined> {
  const client = await connect(options);
  const session = await client.sessions.archive(id);
  if (options.json) printJson(session);
  else printLine(session.id);
}
