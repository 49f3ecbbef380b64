import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SandboxError } from "../interface/errors.ts";
import { quote } from "../scripts/quote.ts";
import { perlText } from "../scripts/read-script.ts";
import { repositoryEnvironment } from "../workspace/repository/repository-environment.ts";
import type { ProbeVariables } from "./prelude.ts";
import type { ProbeTarget } from "./run-probes.ts";

/** Text of `canary.pl`. */
const CANARY = perlText("probes/canary.pl");
/** Milliseconds, many because the machine may be busy; canaries that cannot start end at once. */
const START_TIMEOUT_MS = 60_000;
const NOT_READY = `or its program was not ready within ${START_TIMEOUT_MS / 1000} seconds`;

/** Objects with a known text that probes try to find. They exist for one run. */
export interface Canaries {
  /** Random text that is part of every text that probes must not see. */
  tag: string;
  variables: ProbeVariables;
  close(): Promise<void>;
}

/**
 * Starts canaries on the host: files that everybody may read and write, a process, servers, shared memory.
 * They contain no real secret, and the servers listen on this machine only. Rejects with `SandboxError` when
 * perl is missing or too slow.
 */
export async function startHostCanaries(tag: string = randomBytes(8).toString("hex")): Promise<Canaries> {
  const directory = await mkdtemp(join(tmpdir(), "berth-probes-"));
  await chmod(directory, 0o755);
  const child = spawn("perl", canaryArguments("host", tag, directory, "watch"), {
    stdio: ["pipe", "pipe", "ignore"],
    env: { PATH: process.env.PATH, CANARY: `host-${tag}` },
  });
  const exited = once(child, "exit").catch(() => {});
  const close = async () => {
    child.stdin.destroy();
    await exited;
    await rm(directory, { recursive: true, force: true });
  };
  const variables = await untilReady((onOutput) => {
    child.stdout.on("data", onOutput);
    return exited;
  });
  if (variables !== null) return { tag, variables: { tag, ...variables, ...credentials(tag) }, close };
  await close();
  throw new SandboxError(`the probes cannot be prepared: perl is missing or does not run, ${NOT_READY}`);
}

/**
 * Starts canaries in another sandbox, as if of another session. Rejects with `SandboxError` when perl is
 * missing or too slow.
 *
 * @param directory Directory in that sandbox for their file and socket.
 */
export async function startNeighbour(
  sandbox: ProbeTarget,
  tag: string,
  directory = "/data",
): Promise<Canaries> {
  const ending = new AbortController();
  let ended: Promise<unknown> = Promise.resolve();
  const variables = await untilReady((onOutput) => {
    ended = sandbox.run({
      script: neighbourScript(tag, directory),
      timeoutMs: 600_000,
      onOutput,
      signal: ending.signal,
    });
    return ended;
  });
  const close = async () => {
    ending.abort();
    await ended;
  };
  if (variables !== null) return { tag, variables, close };
  await close();
  throw new SandboxError(`the probes cannot be prepared: perl is missing in the sandbox, ${NOT_READY}`);
}

/** Returns shell text that runs the neighbour's canaries until it is killed. */
export function neighbourScript(tag: string, directory: string): string {
  // Without root, the sandbox runs as the service's user, and filling the kernel's tables would take from
  // that user's share.
  const mode = process.getuid?.() === 0 ? ["fill" as const] : [];
  const words = canaryArguments("neighbour", tag, directory, ...mode).map(quote);
  return `CANARY=neighbour-${tag} exec perl ${words.join(" ")}`;
}

/** Returns a secret for one repository, in the form in which commands get it. */
function credentials(tag: string): Record<string, string> {
  const environment = repositoryEnvironment([
    { url: "https://git.probe.invalid/org/repository", secret: `secret-${tag}`, provider: null },
  ]);
  return { credentials: environment.BERTH_GIT_CREDENTIALS ?? "" };
}

async function untilReady(
  start: (onOutput: (chunk: Uint8Array) => void) => Promise<unknown>,
): Promise<Record<string, string> | null> {
  const ready = Promise.withResolvers<Record<string, string> | null>();
  let text = "";
  const ended = start((chunk) => {
    text += Buffer.from(chunk).toString();
    const variables = canaryVariables(text);
    if (variables !== null) ready.resolve(variables);
  });
  const timer = setTimeout(() => ready.resolve(null), START_TIMEOUT_MS);
  void ended.finally(() => ready.resolve(null)).catch(() => {});
  return ready.promise.finally(() => clearTimeout(timer));
}

/** Returns the arguments of `perl`. */
function canaryArguments(
  word: "host" | "neighbour",
  tag: string,
  directory: string,
  ...mode: ("watch" | "fill")[]
): string[] {
  const addKey = process.arch === "arm64" ? "217" : "248";
  return ["-e", CANARY, "--", `${word}-${tag}`, directory, addKey, ...mode];
}

/** Parses the output of `canary.pl`; returns null before it is ready. */
export function canaryVariables(output: string): Record<string, string> | null {
  if (!/^ready$/m.test(output)) return null;
  return Object.fromEntries(
    [...output.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]),
  );
}
