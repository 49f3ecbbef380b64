import type { Berth, StreamFrame } from "@berth/sdk";
import { previewsFor, renderEvents } from "../../render/render-events.ts";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import { EXIT_CODES } from "../../shared/exit-codes.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { isForPeople, peopleOutput, printItem } from "../../shared/output.ts";

interface LogsOptions extends ConnectionOptions, OutputOptions {
  follow?: boolean;
}

/** Prints the log from its start. With `--follow`, ends with the session, or with exit code 130 at Ctrl-C. */
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
  const output = peopleOutput(options);
  const isPeople = isForPeople(options);
  const event_deltas = isPeople ? previewsFor(output) : [];
  const { resources } = await client.sessions.get(id);
  const frames: AsyncIterable<StreamFrame> = options.follow
    ? client.sessions.events.stream(id, { from: "start", event_deltas }, { signal })
    : client.sessions.events.list(id, { limit: 100 }, { signal });
  if (isPeople) await renderEvents(frames, output, { resources });
  else for await (const frame of frames) await printItem(frame, options);
}
