import { createInterface } from "node:readline";
import type { Berth } from "@berth/sdk";
import { previewsFor, renderEvents } from "../../render/render-events.ts";
import { toolLine } from "../../render/tool-line.ts";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import { paletteFor } from "../../terminal/palette.ts";
import { printJson, printMessage } from "../../terminal/print.ts";
import { confirmations, denial, waitingCalls } from "./waiting-calls.ts";

/**
 * Shows what a session does from now on, and sends what is typed: a line is a message, one that begins with a slash a command.
 * Ends when the session does, or detaches at Ctrl-C and at the end of the input; the session goes on then.
 */
export async function attachSession(
  id: string,
  options: ConnectionOptions & { fromStart?: boolean; json?: boolean },
): Promise<undefined> {
  const client = await connect(options);
  const { resources, agent } = await client.sessions.get(id);
  const waiting = await waitingCalls(client, id);
  const { dim } = paletteFor(process.stderr);
  const detaching = new AbortController();
  const detach = () => detaching.abort();
  process.once("SIGINT", detach);
  const input = createInterface({ input: process.stdin, terminal: false });
  input.once("close", detach);
  let last: Promise<unknown> = Promise.resolve();
  input.on("line", (line) => {
    if (line.trim() === "/detach") return detach();
    last = last.then(() => act(client, id, line.trim())).catch(({ message }: Error) => printMessage(message));
  });
  try {
    const query = {
      event_deltas: options.json ? [] : previewsFor(process.stdout),
      ...(options.fromStart && { from: "start" as const }),
    };
    const frames = client.sessions.events.stream(id, query, { signal: detaching.signal });
    printMessage(dim(`${id} · ${agent.model.id} · ${KEYS}`));
    for (const call of options.fromStart ? [] : waiting) printMessage(`Waiting for you: ${toolLine(call)}`);
    if (options.json) for await (const frame of frames) printJson(frame);
    else await renderEvents(frames, process.stdout, { resources, waiting });
  } finally {
    process.off("SIGINT", detach);
    input.close();
  }
  await last;
  if (detaching.signal.aborted)
    printMessage(`Detached. The session goes on; to come back: berth sessions attach ${id}`);
}

const KEYS = "type a message, or /interrupt, /allow, /deny [reason]; Ctrl-C detaches";

async function act(client: Berth, id: string, line: string): Promise<void> {
  if (line === "") return;
  const { events } = client.sessions;
  const [, command, rest = ""] = /^\/(\w+)\s*(.*)$/.exec(line) ?? [];
  switch (command) {
    case undefined:
      await events.send(id, { events: [{ type: "user.message", content: [{ type: "text", text: line }] }] });
      return;
    case "interrupt":
      await events.send(id, { events: [{ type: "user.interrupt" }] });
      return;
    case "allow":
    case "deny": {
      const calls = await waitingCalls(client, id);
      if (calls.length === 0) throw new Error("No tool call is waiting for a confirmation.");
      const confirmation = command === "allow" ? { result: "allow" as const } : denial(rest || undefined);
      await events.send(id, {
        events: confirmations(
          calls.map((call) => call.id),
          confirmation,
        ),
      });
      return;
    }
    default:
      throw new Error(`There is no command /${command}. ${KEYS}.`);
  }
}
