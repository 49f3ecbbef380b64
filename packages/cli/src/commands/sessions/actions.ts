import { text } from "node:stream/consumers";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import { UsageError } from "../../shared/failure.ts";
import { printJson, printLine } from "../../terminal/print.ts";
import { followTurn } from "./follow-turn.ts";

/** Prints the id of the stored event, or with `--follow` the turn. */
export async function sendMessage(
  id: string,
  given: string,
  options: ConnectionOptions & { follow?: boolean; json?: boolean },
): Promise<number | undefined> {
  const message = given === "-" ? await text(process.stdin) : given;
  if (message.trim() === "") throw new UsageError("The message is empty.");
  const client = await connect(options);
  const content = [{ type: "text" as const, text: message }];
  const { data } = await client.sessions.events.send(id, { events: [{ type: "user.message", content }] });
  const [sent] = data;
  if (options.follow && sent !== undefined)
    return await followTurn(client, id, { after_id: sent.id, json: options.json });
  if (options.json) printJson({ data });
  else for (const event of data) printLine(event.id);
  return undefined;
}

/** Prints the id of the stored event. */
export async function interruptSession(
  id: string,
  options: ConnectionOptions & { json?: boolean },
): Promise<undefined> {
  const client = await connect(options);
  const { data } = await client.sessions.events.send(id, { events: [{ type: "user.interrupt" }] });
  if (options.json) printJson({ data });
  else for (const event of data) printLine(event.id);
}

/** Prints the id of the resource. */
export async function retryClone(
  sessionId: string,
  resourceId: string,
  options: ConnectionOptions & { json?: boolean },
): Promise<undefined> {
  const client = await connect(options);
  const resource = await client.sessions.resources.retry(sessionId, resourceId);
  if (options.json) printJson(resource);
  else printLine(resource.id);
}

export async function archiveSession(
  id: string,
  options: ConnectionOptions & { json?: boolean },
): Promise<undefined> {
  const client = await connect(options);
  const session = await client.sessions.archive(id);
  if (options.json) printJson(session);
  else printLine(session.id);
}
