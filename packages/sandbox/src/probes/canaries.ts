import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SandboxError } from "../interface/errors.ts";
import { repositoryEnvironment } from "../workspace/repository/repository-environment.ts";
import type { ProbeVariables } from "./prelude.ts";
import { canaryArguments, canaryVariables } from "./resident.ts";
import type { ProbeTarget } from "./run-probes.ts";

const START_TIMEOUT_MS = 10_000;

/** What probes look for, made for one run of them. */
export interface Canaries {
  /** Random, in every text that is to stay unseen. */
  tag: string;
  variables: ProbeVariables;
  close(): Promise<void>;
}

/**
 * What probes look for on the host: files that everybody may read and write, a process, servers, shared memory. Nothing of it is a
 * secret of anybody, and its servers listen on this machine alone. Rejects with `SandboxError` where perl is missing.
 */
export async function startHostCanaries(tag: string = randomBytes(8).toString("hex")): Promise<Canaries> {
  const directory = await mkdtemp(join(tmpdir(), "berth-probes-"));
  await chmod(directory, 0o755);
  const child = spawn("perl", canaryArguments("host", tag, directory, true), {
    stdio: ["pipe", "pipe", "ignore"],
    env: { PATH: process.env.PATH, CANARY: `host-${tag}` },
  });
  const exited = once(child, "exit").catch(() => {});
  const close = async () => {
    child.stdin.destroy();
    await exited;
    await rm(directory, { recursive: true, force: true });
  };
  const said = await untilReady((hear) => {
    child.stdout.on("data", hear);
    return exited;
  });
  if (said !== null) return { tag, variables: { tag, ...said, ...credentials(tag) }, close };
  await close();
  throw new SandboxError("nothing could be made for the probes to look for: perl is missing or does not run");
}

/**
 * What probes look for in another sandbox, of a session that is not theirs.
 * @param directory inside of it, where it keeps its file and socket.
 */
export async function startNeighbour(
  sandbox: ProbeTarget,
  tag: string,
  directory = "/data",
): Promise<Canaries> {
  const ending = new AbortController();
  let ended: Promise<unknown> = Promise.resolve();
  const said = await untilReady((hear) => {
    ended = sandbox.run({
      script: neighbourScript(tag, directory),
      timeoutMs: 600_000,
      onOutput: hear,
      signal: ending.signal,
    });
    return ended;
  });
  const close = async () => {
    ending.abort();
    await ended;
  };
  if (said !== null) return { tag, variables: said, close };
  await close();
  throw new SandboxError("nothing could be made inside for the probes to look for: perl is missing there");
}

/** Shell text that is the neighbour for as long as it runs. */
export function neighbourScript(tag: string, directory: string): string {
  const words = canaryArguments("neighbour", tag, directory).map(
    (word) => `'${word.replaceAll("'", "'\\''")}'`,
  );
  return `CANARY=neighbour-${tag} exec perl ${words.join(" ")}`;
}

/** A secret for one repository, as commands get it. */
function credentials(tag: string): Record<string, string> {
  const environment = repositoryEnvironment([
    { url: "https://git.probe.invalid/org/repository", secret: `secret-${tag}`, provider: null },
  ]);
  return { credentials: environment.BERTH_GIT_CREDENTIALS ?? "" };
}

async function untilReady(
  start: (hear: (chunk: Uint8Array) => void) => Promise<unknown>,
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
