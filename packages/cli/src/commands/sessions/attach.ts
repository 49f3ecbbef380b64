import { createInterface } from "node:readline";
import type { Berth, StreamFrame } from "@berth/sdk";
import { previewsFor, renderEvents } from "../../render/render-events.ts";
import { toolLine } from "../../render/tool-line.ts";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import { EXIT_CODES } from "../../shared/exit-codes.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { isForPeople, peopleOutput, printItem } from "../../shared/output.ts";
import { paletteFor } from "../../terminal/palette.ts";
import { printMessage } from "../../terminal/print.ts";
import {
  type Confirmation,
  callsFor,
  confirmations,
  denial,
  permission,
  waitingCalls,
} from "./waiting-calls.ts";

/**
 * Shows what a session does from now on, and sends what is typed: each line is a message, or a command if it
 * begins with a slash and a word. Ends when the session does. At Ctrl-C or the end of the input it detaches,
 * and the session continues. Returns exit code 1 when a line was rejected and no terminal is attached, so
 * that a script notices.
 */
export async function attachSession(
  id: string,
  options: ConnectionOptions & OutputOptions & { fromStart?: boolean },
): Promise<number> {
  const client = await connect(options);
  const { resources, agent } = await client.sessions.get(id);
  const waiting = await waitingCalls(client, id);
  const say = options.quiet ? () => undefined : printMessage;
  const shown = new Set(options.fromStart || options.quiet ? [] : waiting.map((call) => call.id));
  const output = peopleOutput(options);
  const { dim } = paletteFor(process.stderr);
  const detaching = new AbortController();
  const detach = () => detaching.abort();
  process.once("SIGINT", detach);
  const input = createInterface({ input: process.stdin, terminal: false });
  input.once("close", detach);
  let exitCode: number = EXIT_CODES.done;
  const refuse = ({ message }: Error) => {
    printMessage(message);
    if (!process.stdin.isTTY) exitCode = EXIT_CODES.failed;
  };
  let last: Promise<unknown> = Promise.resolve();
  input.on("line", (line) => {
    if (line.trim() === "/detach") return detach();
    last = last.then(() => act(client, id, line.trim(), shown)).catch(refuse);
  });
  try {
    const query = {
      event_deltas: isForPeople(options) ? previewsFor(output) : [],
      ...(options.fromStart && { from: "start" as const }),
    };
    const stream = client.sessions.events.stream(id, query, { signal: detaching.signal });
    const frames = options.quiet ? stream : notePauses(stream, shown);
    say(dim(`${id} · ${agent.model.id} · ${KEYS}`));
    for (const call of options.fromStart ? [] : waiting) say(`Waiting for you: ${toolLine(call)}`);
    if (isForPeople(options)) await renderEvents(frames, output, { resources, waiting });
    else for await (const frame of frames) await printItem(frame, options);
  } finally {
    process.off("SIGINT", detach);
    input.close();
  }
  await last;
  if (detaching.signal.aborted)
    say(`Detached. The session continues; to attach again: berth sessions attach ${id}`);
  return exitCode;
}

const KEYS = "type a message, or /interrupt, /allow, /always [words], /deny [reason]; Ctrl-C detaches";

/** Adds to `shown` the calls that each pause waits for. */
async function* notePauses(
  frames: AsyncIterable<StreamFrame>,
  shown: Set<string>,
): AsyncGenerator<StreamFrame> {
  for await (const frame of frames) {
    yield frame;
    if (frame.type === "session.status_idle" && frame.stop_reason.type === "requires_action")
      for (const call of frame.stop_reason.event_ids) shown.add(call);
  }
}

const CONFIRMATIONS: Record<"allow" | "always" | "deny", (rest: string) => Confirmation> = {
  allow: () => ({ result: "allow" }),
  always: permission,
  deny: (reason) => denial(reason || undefined),
};

/** Sends a line. @param shown Ids of the calls that may be confirmed, since they were shown. */
async function act(client: Berth, id: string, line: string, shown: ReadonlySet<string>): Promise<void> {
  if (line === "") return;
  const { events } = client.sessions;
  // "/allow-list is missing" is a message: it must not allow anything.
  const [, command, rest = ""] = /^\/(\w+)(?:\s+(.*))?$/.exec(line) ?? [];
  // "/allow the first one" must not allow the other calls.
  if (rest !== "" && (command === "interrupt" || command === "allow"))
    throw new Error(`/${command} takes no text. Nothing was sent.`);
  switch (command) {
    case undefined:
      await events.send(id, { events: [{ type: "user.message", content: [{ type: "text", text: line }] }] });
      return;
    case "interrupt":
      await events.send(id, { events: [{ type: "user.interrupt" }] });
      return;
    case "allow":
    case "always":
    case "deny": {
      const confirmation = CONFIRMATIONS[command](rest);
      const waiting = (await waitingCalls(client, id)).filter((call) => shown.has(call.id));
      if (waiting.length === 0) throw new Error("No tool call that was shown is waiting for a confirmation.");
      const calls = callsFor(waiting, confirmation);
      if (calls.length === 0) throw new Error("No call of Bash is waiting, and /always named its commands.");
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
