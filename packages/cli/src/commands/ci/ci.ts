import { randomUUID } from "node:crypto";
import { appendFile } from "node:fs/promises";
import { type Berth, pullRequestIn, type Session } from "@berth/sdk";
import { connect, serviceOf } from "../../shared/connection.ts";
import { EXIT_CODES } from "../../shared/exit-codes.ts";
import { plainText } from "../../terminal/plain-text.ts";
import { printLine, printMessage } from "../../terminal/print.ts";
import { runTask } from "../run/run.ts";
import { takeServiceVariables } from "./service-variables.ts";
import { stepInputs } from "./step-inputs.ts";
import { writeOutputs, writeSummary } from "./step-results.ts";

const STATES: Readonly<Record<number, string>> = {
  [EXIT_CODES.done]: "done",
  [EXIT_CODES.waiting]: "waits for somebody to allow or answer calls",
  [EXIT_CODES.interrupted]: "cancelled",
};

interface Made {
  client: Berth;
  session: Session;
  /** Address of the session in the console. */
  page: string;
}

/** Runs a task as a step of a CI job. Returns the exit code. */
export async function ci(): Promise<number> {
  takeServiceVariables();
  const { task, options } = stepInputs(process.env);
  const { url } = await serviceOf(options);
  const made: Made[] = [];
  const code = await withoutCommands(() =>
    runTask(task, options, async (client, session) => {
      const page = `${url.replace(/\/+$/, "")}/console/sessions/${session.id}`;
      made.push({ client, session, page });
      await keepState("session", session.id);
      // At once, so that they are there even if the step is killed.
      await writeOutputs(process.env, { session_id: session.id, session_url: page });
    }),
  );
  await keepState("over", "true");
  const state = options.detach ? "started" : (STATES[code] ?? "failed");
  // What the session did stands in its log, also if a report of it fails.
  for (const one of made)
    await report(one, state).catch((error: Error) => printMessage(`There is no summary: ${error.message}`));
  return code;
}

/**
 * Interrupts the session of a step that was killed before it could do so itself. Runs after the job, on
 * systems that keep the state of a step for that.
 */
export async function afterStep(): Promise<number> {
  takeServiceVariables();
  const { STATE_session: session, STATE_over: over } = process.env;
  if (!session || over) return EXIT_CODES.done;
  const client = await connect({});
  await client.sessions.events.send(session, { events: [{ type: "user.interrupt" }] });
  printLine(`The step ended before its session, which is interrupted: ${session}`);
  return EXIT_CODES.done;
}

async function report({ client, session: { id }, page }: Made, state: string): Promise<void> {
  const session = await client.sessions.get(id);
  const message = await lastMessage(client, id);
  const [repository] = session.resources.flatMap((one) => ("url" in one ? [one.url] : []));
  const outcome = session.last_turn?.outcome ?? "";
  const pullRequest = repository === undefined ? null : pullRequestIn(message, repository);
  await writeOutputs(process.env, {
    ...{ outcome, message },
    pull_request_url: pullRequest ?? "",
  });
  const { list_cost_usd: cost } = session;
  await writeSummary(process.env, page, message, [
    ["Task", session.title],
    ["State", outcome === "budget_reached" ? "stopped at a budget, and continues with more" : state],
    ["Agent", `${session.agent.name}, ${session.agent.model.id}`],
    ["Repository", repository ?? "none"],
    ["Pull request", pullRequest ?? "none"],
    ...(cost === null ? [] : [["Cost", `${cost.toFixed(2)} USD`] as const]),
  ]);
}

async function lastMessage(client: Berth, id: string): Promise<string> {
  const query = { types: ["agent.message" as const], order: "desc" as const, limit: 1 };
  for await (const event of client.sessions.events.list(id, query))
    if (event.type === "agent.message")
      return plainText(event.content.map((part) => (part.type === "text" ? part.text : "")).join("\n"));
  return "";
}

/**
 * Does some work whose output has text of an agent. Meanwhile the runner of an action reads no commands from
 * the output, such as `::error::`, which that text could contain.
 */
async function withoutCommands<T>(work: () => Promise<T>): Promise<T> {
  if (process.env.GITHUB_ACTIONS !== "true") return await work();
  const key = `end_${randomUUID()}`;
  printLine(`::stop-commands::${key}`);
  try {
    return await work();
  } finally {
    printLine(`::${key}::`);
  }
}

/** Keeps a value for `afterStep`. */
async function keepState(name: string, value: string): Promise<void> {
  const { GITHUB_STATE: file } = process.env;
  if (file) await appendFile(file, `${name}=${value}\n`);
}
