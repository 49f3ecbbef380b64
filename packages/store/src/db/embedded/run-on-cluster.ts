import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Binaries } from "./binaries.ts";
import { CLUSTER_BY_DESCRIPTOR, CLUSTER_USER } from "./cluster-names.ts";

type Run = {
  program: "initdb" | "postgres";
  args: readonly string[];
  /** Text for the program's standard input. */
  input?: string;
  cluster: string;
  /** A descriptor that the program inherits, and a lock with it. */
  lock?: number;
  /** Kills the program when it aborts. */
  signal?: AbortSignal | undefined;
};

/**
 * Runs a program that works on a cluster and ends. It finds the cluster at `CLUSTER_BY_DESCRIPTOR`.
 * @throws the signal's reason, or an error with the end of the program's output.
 */
export async function runOnCluster(binaries: Binaries, run: Run): Promise<void> {
  const { program, input = "", cluster, lock = "ignore", signal } = run;
  const account = showAccount(binaries, [join(binaries.bin, program), ...run.args]);
  const descriptor = openSync(cluster, "r");
  const [command = "", ...args] = account.command;
  const child = spawn(command, args, {
    ...account.spawn,
    signal,
    stdio: ["pipe", "pipe", "pipe", descriptor, lock],
  });
  closeSync(descriptor);
  child.stdin?.on("error", () => undefined).end(input);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      output += chunk;
    });
  const ended = Promise.withResolvers<number | string | null>();
  let failure: Error | undefined;
  child.on("error", (error) => (failure = error)).on("close", (code, name) => ended.resolve(code ?? name));
  const code = await ended.promise.finally(() => account.remove());
  signal?.throwIfAborted();
  if (failure !== undefined) throw failure;
  if (code !== 0) throw new Error(`${program} failed (${code}): ${output.trim().slice(-2000)}`);
}

type Statements = Pick<Run, "cluster" | "lock" | "signal"> & {
  database: string;
  /** Statements of one line each. */
  statements: readonly string[];
  /** Settings in addition to the cluster's. */
  settings?: readonly string[];
};

/**
 * Runs statements, one after another, on a cluster that has no running server.
 * @throws as `runOnCluster`.
 */
export async function runStatements(
  binaries: Binaries,
  { database, statements, settings = [], ...run }: Statements,
): Promise<void> {
  const flags = ["exit_on_error=on", ...settings].flatMap((setting) => ["-c", setting]);
  await runOnCluster(binaries, {
    program: "postgres",
    args: ["--single", "-D", CLUSTER_BY_DESCRIPTOR, ...flags, database],
    input: statements.map((statement) => `${statement}\n`).join(""),
    ...run,
  });
}

type WithAccount = { command: readonly string[]; spawn: Binaries["spawn"]; remove(): void };

/** A script that replaces itself by a command under another user id, with the given file as /etc/passwd. */
const AS_ACCOUNT = `mount --bind "$1" /etc/passwd && uid=$2 && shift 2 &&
  exec setpriv --reuid="$uid" --regid="$uid" --clear-groups -- env "$@"`;

/**
 * Wraps a command for a user id without an account. Both programs look up the name of their user id, so they
 * run where /etc/passwd contains it.
 */
function showAccount(binaries: Binaries, command: readonly string[]): WithAccount {
  const { uid, gid, env, cwd } = binaries.spawn;
  if (!binaries.isOwnUser || uid === undefined)
    return { command, spawn: binaries.spawn, remove: () => undefined };
  const directory = mkdtempSync(join(tmpdir(), "berth-account-"));
  const passwd = join(directory, "passwd");
  writeFileSync(passwd, `${CLUSTER_USER}:x:${uid}:${gid}::/:/bin/false\n`, { mode: 0o644 });
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return {
    command: ["unshare", "--mount", "sh", "-c", AS_ACCOUNT, "sh", passwd, `${uid}`, ...variables, ...command],
    spawn: { cwd, env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" } },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
