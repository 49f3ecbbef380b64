import type { Berth, StreamFrame } from "@berth/sdk";
import { previewsFor, renderEvents } from "../../render/render-events.ts";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import { EXIT_CODES } from "../../shared/exit-codes.ts";
import { printJson } from "../../terminal/print.ts";

interface LogsOptions extends ConnectionOptions {
  follow?: boolean;
  json?: boolean;
}

/** Prints the log from its start. With `--follow`, ends with the session, or with exit code 130 on Ctrl-C. */
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
  return controller.signal.aborted ? EXIT_CODES.interrupted : undefined;
}

async function show(client: Berth, id: string, options: LogsOptions, signal: AbortSignal): Promise<void> {
  const event_deltas = options.json ? [] : previewsFor(process.stdout);
  const { resources } = await client.sessions.get(id);
  const frames: AsyncIterable<StreamFrame> = options.follow
    ? client.sessions.events.stream(id, { from: "start", event_deltas }, { signal })
    : client.sessions.events.list(id, { limit: 100 }, { signal });
  if (options.json) {
    for await (const frame of frames) printJson(frame);
  } else {
    await renderEvents(frames, process.stdout, { resources });
  }
}
