import { text } from "node:stream/consumers";
import { type ConnectionOptions, connect } from "../../connection.ts";
import { UsageError } from "../../failure.ts";
import { printJson, printLine } from "../../print.ts";

/** Prints the id of the event that was accepted. */
export async function sendMessage(
  id: string,
  given: string,
  options: ConnectionOptions & { json?: boolean },
): Promise<undefined> {
  const message = given === "-" ? await text(process.stdin) : given;
  if (message.trim() === "") throw new UsageError("The message is empty.");
  const client = await connect(options);
  const content = [{ type: "text" as const, text: message }];
  const { data } = await client.sessions.events.send(id, { events: [{ type: "user.message", content }] });
  if (options.json) printJson({ data });
  else for (const event of data) printLine(event.id);
}
