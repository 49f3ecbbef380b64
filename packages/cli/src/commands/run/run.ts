import { text } from "node:stream/consumers";
import type { Berth, Session, SessionEvent, StreamFrame } from "@berth/sdk";
import { exitCodeOf, noOutcome, type Outcome, outcomeAfter } from "../../render/outcome.ts";
import { rehearsalLine } from "../../render/rehearsal.ts";
import { previewsFor, renderEvents } from "../../render/render-events.ts";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import { EXIT_CODES } from "../../shared/exit-codes.ts";
import { UsageError } from "../../shared/failure.ts";
import { paletteFor } from "../../terminal/palette.ts";
import { cut } from "../../terminal/plain-text.ts";
import { printJson, printLine, printMessage } from "../../terminal/print.ts";
import { answerHint } from "../sessions/follow-turn.ts";
import { ensureAgent, ensureEnvironment } from "./defaults.ts";
import { onInterrupts } from "./on-interrupts.ts";
import { type RepositoryOptions, repositoryResources } from "./repository.ts";
import { untilSettled } from "./until-settled.ts";

export interface RunOptions extends ConnectionOptions, RepositoryOptions {
  model?: string;
  agent?: string;
  environment?: string;
  title?: string;
  keep?: boolean;
  detach?: boolean;
  json?: boolean;
}

/** Starts a session and follows its first turn. Returns the exit code. */
export async function run(task: string, options: RunOptions): Promise<number> {
  const message = task === "-" ? await text(process.stdin) : task;
  if (message.trim() === "") throw new UsageError("The task is empty.");
  if (options.agent !== undefined && options.model !== undefined)
    throw new UsageError("Set either --agent or --model, not both: an agent has its model.");
  const resources = await repositoryResources(options);
  const client = await connect(options);
  const session = await client.sessions.create({
    agent: options.agent ?? (await ensureAgent(client, options.model ?? process.env.BERTH_MODEL)),
    environment_id: options.environment ?? (await ensureEnvironment(client)),
    title: options.title ?? titleOf(message),
    resources,
    initial_events: [{ type: "user.message", content: [{ type: "text", text: message }] }],
  });
  if (options.detach) return leave(session, options);
  const { outcome, interrupted, detached } = await follow(client, session, options);
  if (!detached && !options.keep && outcome.ended === "end_turn") await archive(client, session);
  if (detached)
    printMessage(`The session is still running. To follow it: berth sessions attach ${session.id}`);
  if (outcome.ended === "requires_action") printMessage(answerHint(session.id));
  if (interrupted) return EXIT_CODES.interrupted;
  return detached ? EXIT_CODES.failed : exitCodeOf(outcome);
}

/** It is not archived: nobody waits for its end. */
function leave(session: Session, { json }: RunOptions): number {
  if (json) printJson(session);
  else printLine(session.id);
  return EXIT_CODES.done;
}

function titleOf(message: string): string {
  return cut(rehearsalLine(message) ?? message.trim().split("\n")[0] ?? "", 100);
}

async function follow(client: Berth, session: Session, { json }: RunOptions) {
  const interrupts = onInterrupts(() =>
    client.sessions.events.send(session.id, { events: [{ type: "user.interrupt" }] }, { maxRetries: 0 }),
  );
  try {
    const late = new AbortController();
    const signal = AbortSignal.any([interrupts.signal, late.signal]);
    const { events } = client.sessions;
    const settled = <Frame extends StreamFrame>(frames: AsyncIterable<Frame>) =>
      untilSettled(frames, session.resources, () => late.abort());
    const outcome = json
      ? await printEvents(session, settled(events.stream(session.id, { from: "start" }, { signal })))
      : await showEvents(session, settled(events.stream(session.id, live(), { signal })));
    return { outcome, interrupted: interrupts.count > 0, detached: signal.aborted };
  } finally {
    interrupts.stop();
  }
}

/** A failure is only reported: it does not change the outcome of the turn. */
async function archive(client: Berth, session: Session): Promise<void> {
  await client.sessions
    .archive(session.id)
    .catch((error: Error) => printMessage(`The session could not be archived: ${error.message}`));
}

/** The log from its start, with previews of messages on a terminal. */
function live() {
  return { from: "start" as const, event_deltas: previewsFor(process.stdout) };
}

async function showEvents(session: Session, events: AsyncIterable<StreamFrame>): Promise<Outcome> {
  const { dim } = paletteFor(process.stderr);
  printMessage(dim(`${session.id} · ${session.agent.model.id}\n`));
  return renderEvents(events, process.stdout, { resources: session.resources });
}

async function printEvents(session: Session, events: AsyncIterable<SessionEvent>): Promise<Outcome> {
  printJson(session);
  let outcome = noOutcome;
  for await (const event of events) {
    printJson(event);
    outcome = outcomeAfter(outcome, event);
  }
  return outcome;
}
