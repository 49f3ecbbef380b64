import { text } from "node:stream/consumers";
import { APIError, type Berth, type Session, type SessionEvent, type StreamFrame } from "@berth/sdk";
import { exitCodeOf, noOutcome, type Outcome, outcomeAfter } from "../../render/outcome.ts";
import { rehearsalLine } from "../../render/rehearsal.ts";
import { previewsFor, renderEvents } from "../../render/render-events.ts";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import type { Budget } from "../../shared/dollars.ts";
import { EXIT_CODES } from "../../shared/exit-codes.ts";
import { UsageError } from "../../shared/failure.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { givenBy } from "../../shared/given-by.ts";
import { isForPeople, peopleOutput, printItem, printResult } from "../../shared/output.ts";
import { type Output, paletteFor } from "../../terminal/palette.ts";
import { cut } from "../../terminal/plain-text.ts";
import { printLine, printMessage } from "../../terminal/print.ts";
import { answerHint, budgetHint } from "../sessions/follow-turn.ts";
import { ensureAgent, ensureEnvironment } from "./defaults.ts";
import { noticeFailedClone } from "./failed-clone.ts";
import { onInterrupts } from "./on-interrupts.ts";
import { type RepositoryOptions, repositoryResources } from "./repository.ts";
import { untilSettled } from "./until-settled.ts";

export interface RunOptions extends ConnectionOptions, RepositoryOptions, OutputOptions {
  model?: string;
  agent?: string;
  environment?: string;
  title?: string;
  keep?: boolean;
  follow?: boolean;
  budget?: Budget;
  detach?: boolean;
  withoutFailedRepositories?: boolean;
}

/** Flags that set the fields of the session. */
const FLAGS = {
  ...{ agent: "--agent", environment_id: "--environment", title: "--title", initial_events: "the task" },
  ...{
    ...{ follow: "--follow", budget: "--budget" },
    resources: "--repo",
    "resources[0].authorization_token": "--token-env or --repo-token-file",
  },
  "resources[0].checkout.name": "--branch, --tag or --ref",
  "resources[0].checkout.sha": "--commit",
  "resources[0].connection_id": "--connection",
};

/** Starts a session and follows its first turn. Returns the exit code. */
export function run(task: string, options: RunOptions): Promise<number> {
  return runTask(task, options, async () => {});
}

/** Does as `run`, and calls `created` with the session before it is followed. */
export async function runTask(
  task: string,
  options: RunOptions,
  created: (client: Berth, session: Session) => Promise<void>,
): Promise<number> {
  const message = task === "-" ? await text(process.stdin) : task;
  if (message.trim() === "") throw new UsageError("The task is empty.");
  if (options.agent !== undefined && options.model !== undefined)
    throw new UsageError("Set either --agent or --model, not both: an agent already has a model.");
  const resourcesOf = await repositoryResources(options);
  const client = await connect(options);
  const resources = await resourcesOf(client);
  const model = options.model ?? process.env.BERTH_MODEL;
  const modelBy = options.model === undefined ? "BERTH_MODEL" : "--model";
  const agent =
    options.agent ?? (await givenBy({ model: modelBy }, async () => await ensureAgent(client, model)));
  const environment = options.environment ?? (await ensureEnvironment(client));
  const session = await givenBy(FLAGS, () =>
    createSession(client, {
      agent,
      environment_id: environment,
      title: options.title ?? titleOf(message),
      resources,
      ...(options.budget && { budget: options.budget }),
      ...(options.follow && { follow: { pull_request: true as const } }),
      initial_events: [{ type: "user.message", content: [{ type: "text", text: message }] }],
    }),
  );
  await created(client, session);
  if (options.detach) return await leave(session, options);
  const { outcome, interrupted, detached } = await follow(client, session, options);
  if (!detached && !options.keep && !options.follow && outcome.ended === "end_turn")
    await archive(client, session);
  const tell = options.quiet ? () => undefined : printMessage;
  if (detached) tell(`The session is still running. To follow it: berth sessions attach ${session.id}`);
  if (outcome.ended === "requires_action") tell(answerHint(session.id));
  if (outcome.reached === "session") tell(budgetHint(session.id));
  if (interrupted) return EXIT_CODES.interrupted;
  if (detached) return EXIT_CODES.failed;
  return exitCodeOf(options.withoutFailedRepositories ? { ...outcome, failedResources: [] } : outcome);
}

type NewSession = Parameters<Berth["sessions"]["create"]>[0] & {
  resources: Awaited<ReturnType<Awaited<ReturnType<typeof repositoryResources>>>>;
};

/**
 * Creates the session. A repository with a connection is one of any git server if its host is none of the
 * installation's providers.
 */
async function createSession(client: Berth, body: NewSession): Promise<Session> {
  try {
    return await client.sessions.create(body);
  } catch (error) {
    const [repository] = body.resources;
    const isOther = error instanceof APIError && error.param === "resources[0].url";
    if (!isOther || repository === undefined || !("connection_id" in repository)) throw error;
    return await client.sessions.create({
      ...body,
      resources: [{ ...repository, type: "git_repository" }],
    });
  }
}

/**
 * Prints the session's id and leaves the session running. It is not archived, since nobody waits for its end.
 * Prints the id even with `quiet`, since it would be lost otherwise.
 */
async function leave(session: Session, options: RunOptions): Promise<number> {
  if (options.quiet) printLine(session.id);
  else await printResult(session, options, () => [session.id]);
  return EXIT_CODES.done;
}

function titleOf(message: string): string {
  return cut(rehearsalLine(message) ?? message.trim().split("\n")[0] ?? "", 100);
}

async function follow(client: Berth, session: Session, options: RunOptions) {
  const interrupts = onInterrupts(() =>
    client.sessions.events.send(session.id, { events: [{ type: "user.interrupt" }] }, { maxRetries: 0 }),
  );
  try {
    const late = new AbortController();
    const signal = AbortSignal.any([interrupts.signal, late.signal]);
    const { events } = client.sessions;
    const stop = (reason: string) => void stopAgent(client, session, reason, options);
    const noticed = <Frame extends StreamFrame>(frames: AsyncIterable<Frame>) =>
      options.withoutFailedRepositories ? frames : noticeFailedClone(frames, session.resources, stop);
    const settled = <Frame extends StreamFrame>(frames: AsyncIterable<Frame>) =>
      untilSettled(noticed(frames), session.resources, () => late.abort());
    const output = peopleOutput(options);
    const outcome = isForPeople(options)
      ? await showEvents(session, settled(events.stream(session.id, live(output), { signal })), options)
      : await printEvents(
          session,
          settled(events.stream(session.id, { from: "start" }, { signal })),
          options,
        );
    return { outcome, interrupted: interrupts.count > 0, detached: signal.aborted };
  } finally {
    interrupts.stop();
  }
}

/** Interrupts the agent, which would work without the repository that its task is about. */
async function stopAgent(
  client: Berth,
  session: Session,
  reason: string,
  { quiet }: RunOptions,
): Promise<void> {
  const hint = "To continue in this case: --without-failed-repositories.";
  printMessage(`${quiet ? `${reason}\n` : ""}The agent is stopped: it has no repository. ${hint}`);
  await client.sessions.events
    .send(session.id, { events: [{ type: "user.interrupt" }] })
    .catch((error: Error) => printMessage(`The agent could not be stopped: ${error.message}`));
}

/** Archives the session. Only reports a failure, which does not change the outcome of the turn. */
async function archive(client: Berth, session: Session): Promise<void> {
  await client.sessions
    .archive(session.id)
    .catch((error: Error) => printMessage(`The session could not be archived: ${error.message}`));
}

/** Returns the query for the log from its start, with previews of messages on a terminal. */
function live(output: Output) {
  return { from: "start" as const, event_deltas: previewsFor(output) };
}

async function showEvents(
  session: Session,
  events: AsyncIterable<StreamFrame>,
  options: RunOptions,
): Promise<Outcome> {
  const { dim } = paletteFor(process.stderr);
  if (!options.quiet) printMessage(dim(`${session.id} · ${session.agent.model.id}\n`));
  return renderEvents(events, peopleOutput(options), { resources: session.resources });
}

async function printEvents(
  session: Session,
  events: AsyncIterable<SessionEvent>,
  options: RunOptions,
): Promise<Outcome> {
  await printItem(session, options);
  let outcome = noOutcome;
  for await (const event of events) {
    await printItem(event, options);
    outcome = outcomeAfter(outcome, event);
  }
  return outcome;
}
