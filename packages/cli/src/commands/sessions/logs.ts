import type { Berth, SessionEvent } from "@berth/sdk";
import { type ConnectionOptions, connect } from "../../connection.ts";
import { exitCodes } from "../../exit-codes.ts";
import { printJson } from "../../print.ts";
import { renderEvents } from "../../render-events.ts";

interface LogsOptions extends ConnectionOptions {
  follow?: boolean;
  json?: boolean;
}

/** The log from its start. Following ends by Ctrl-C with 130, or with the session. */
export async function sessionLogs(id: string, options: LogsOptions): Promise<number | undefined> {
  const client = await connect(options);
  const controller = new AbortController();
  const stop = () => controller.abort();
  process.once("SIGINT", stop);
  try {
    await show(client, id, options, controller.signal);
  } finally {
    process.off("SIGINT", stop);
  }
  return controller.signal.aborted ? exitCodes.interrupted : undefined;
}

async function show(client: Berth, id: string, options: LogsOptions, signal: AbortSignal): Promise<void> {
  const events: AsyncIterable<SessionEvent> = options.follow
    ? client.sessions.events.stream(id, { from: "start" }, { signal })
    : client.sessions.events.list(id, { limit: 100 }, { signal });
  if (options.json) {
    for await (const event of events) printJson(event);
  } else {
    const { resources } = await client.sessions.get(id);
    await renderEvents(events, process.stdout, { resources });
  }
}
