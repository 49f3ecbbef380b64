import { text } from "node:stream/consumers";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import { UsageError } from "../../shared/failure.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { printResult } from "../../shared/output.ts";
import { followTurn } from "./follow-turn.ts";

/** Sends a message. Prints the id of the stored event, or with `--follow` the turn. */
export async function sendMessage(
  id: string,
  given: string,
  options: ConnectionOptions & OutputOptions & { follow?: boolean },
): Promise<number | undefined> {
  const message = given === "-" ? await text(process.stdin) : given;
  if (message.trim() === "") throw new UsageError("The message is empty.");
  const client = await connect(options);
  const content = [{ type: "text" as const, text: message }];
  const { data } = await client.sessions.events.send(id, { events: [{ type: "user.message", content }] });
  const [sent] = data;
  if (options.follow && sent !== undefined)
    return await followTurn(client, id, { ...options, after_id: sent.id });
  await printResult({ data }, options, () => data.map(({ id }) => id));
  return undefined;
}

/** Interrupts the running turn. Prints the id of the stored event. */
export async function interruptSession(
  id: string,
  options: ConnectionOptions & OutputOptions,
): Promise<undefined> {
  const client = await connect(options);
  const { data } = await client.sessions.events.send(id, { events: [{ type: "user.interrupt" }] });
  await printResult({ data }, options, () => data.map(({ id }) => id));
}

/** Retries the clone of a repository. Prints the id of the resource. */
export async function retryClone(
  sessionId: string,
  resourceId: string,
  options: ConnectionOptions & OutputOptions,
): Promise<undefined> {
  const client = await connect(options);
  const resource = await client.sessions.resources.retry(sessionId, resourceId);
  await printResult(resource, options, () => [resource.id]);
}

export async function archiveSession(
  id: string,
  options: ConnectionOptions & OutputOptions,
): Promise<undefined> {
  const client = await connect(options);
  const session = await client.sessions.archive(id);
  await printResult(session, options, () => [session.id]);
}
