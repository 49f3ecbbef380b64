/**
 * The program of the process that runs sessions, a child of the API process. When its parent exits for any reason, this process
 * exits at once, and all sandboxes with it.
 */
import type { Config } from "../config/config.ts";
import type { DatabaseAddress } from "../db/connection.ts";
import { createLog } from "../log/log.ts";
import { createRedactor } from "../log/redactor.ts";
import { type Runner, startRunner } from "./runner.ts";

/** Messages from the API process to the runner. */
export type ToRunner =
  | { type: "start"; config: Config; address: DatabaseAddress }
  | { type: "stop" }
  | { type: "measure"; id: number };
/** Messages from the runner to the API process. */
export type FromRunner =
  | { type: "ready" }
  | { type: "failed"; message: string }
  | { type: "alive"; opensSandboxes: boolean | null }
  | { type: "measured"; id: number; metrics: object[] };

const ALIVE_MS = 500;

/** How long a start that is not ready yet has to end when the service stops. */
const ABORT_TIMEOUT_MS = 4_000;

const starting = new AbortController();
let running: Promise<Runner> | undefined;
let isReady = false;

process.on("message", (message: ToRunner) => {
  if (message.type === "start") running ??= start(message);
  else if (message.type === "measure") void measure(message.id);
  else void stop();
});
process.on("disconnect", () => process.exit(1));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined);

async function start({ config, address }: { config: Config; address: DatabaseAddress }): Promise<Runner> {
  const redactor = createRedactor();
  const log = createLog(config.logLevel, redactor).child({ part: "runner" });
  try {
    const runner = await startRunner({ config, address, log, redactor }, starting.signal);
    isReady = true;
    send({ type: "ready" });
    const sign = () => send({ type: "alive", opensSandboxes: runner.opensSandboxes() });
    setInterval(sign, ALIVE_MS);
    void runner.tried.then(sign);
    return runner;
  } catch (error) {
    if (starting.signal.aborted) process.exit(0);
    log.fatal({ err: error }, "the runner could not start");
    send({ type: "failed", message: (error as Error).message });
    process.exit(1);
  }
}

async function stop(): Promise<void> {
  if (!isReady) {
    setTimeout(() => process.exit(1), ABORT_TIMEOUT_MS);
    starting.abort(new Error("The service is stopping."));
  }
  await (await running)?.close();
  process.exit(0);
}

async function measure(id: number): Promise<void> {
  const runner = isReady ? await running : undefined;
  send({ type: "measured", id, metrics: (await runner?.metrics()) ?? [] });
}

function send(message: FromRunner): void {
  process.send?.(message);
}
