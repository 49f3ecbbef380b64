import { type ConnectionOptions, connect } from "../../connection.ts";
import { printJson, printLine } from "../../print.ts";

/** Prints the id of the event that was accepted. */
export async function interruptSession(
  id: string,
  options: ConnectionOptions & { json?: boolean },
): Promise<undefined> {
  const client = await connect(options);
  const { data } = await client.sessions.events.send(id, { events: [{ type: "user.interrupt" }] });
  if (options.json) printJson({ data });
  else for (const event of data) printLine(event.id);
}
