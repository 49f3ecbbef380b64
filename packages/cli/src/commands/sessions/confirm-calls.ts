import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import { UsageError } from "../../shared/failure.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { printResult } from "../../shared/output.ts";
import { followTurn } from "./follow-turn.ts";
import {
  type Confirmation,
  callsFor,
  confirmations,
  denial,
  permission,
  waitingCalls,
} from "./waiting-calls.ts";

interface ConfirmOptions extends ConnectionOptions, OutputOptions {
  /** Message for the agent with a denial. */
  message?: string;
  /** Also allows later calls of the same tools; a text: only commands of Bash that begin with it. */
  always?: string | true;
  follow?: boolean;
}

/** Allows tool calls that are waiting for a confirmation: the given ones, else all. */
export async function allowCalls(id: string, calls: string[], options: ConfirmOptions): Promise<Result> {
  const { always } = options;
  return await confirm(id, calls, options, always === undefined ? { result: "allow" } : permission(always));
}

/** Denies tool calls that are waiting for a confirmation: the given ones, else all. */
export async function denyCalls(id: string, calls: string[], options: ConfirmOptions): Promise<Result> {
  return await confirm(id, calls, options, denial(options.message));
}

type Result = number | undefined;

async function confirm(
  id: string,
  named: readonly string[],
  options: ConfirmOptions,
  confirmation: Confirmation,
): Promise<Result> {
  const client = await connect(options);
  const waiting = named.length > 0 && !options.follow ? [] : await waitingCalls(client, id);
  const calls = named.length > 0 ? named : callsFor(waiting, confirmation).map((call) => call.id);
  if (calls.length === 0 && waiting.length > 0)
    throw new UsageError(
      "No call of Bash is waiting for a confirmation, and --always names its commands.",
      1,
    );
  if (calls.length === 0)
    throw new UsageError("No tool call of this session is waiting for a confirmation.", 1);
  const { data } = await client.sessions.events.send(id, { events: confirmations(calls, confirmation) });
  const sent = data.at(-1);
  if (options.follow && sent !== undefined)
    return await followTurn(client, id, { ...options, after_id: sent.id, waiting });
  await printResult({ data }, options, () => data.map((event) => event.id));
  return undefined;
}
