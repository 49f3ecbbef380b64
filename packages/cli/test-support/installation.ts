import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { after } from "node:test";
import { Api } from "../../../tests/acceptance/harness/api.ts";
import { issueToken } from "../../../tests/acceptance/harness/issue-token.ts";
import { copyMadeDatabase, OPERATOR, OWNER } from "../../../tests/made-database/made-database.ts";
import { berth, type Ended, startBerth } from "./berth.ts";

/** A service, with its tokens. */
interface Service {
  url: string;
  dataDir: string;
  token: string;
  operatorToken(): Promise<string>;
  stop(): Promise<void>;
}

export interface Installation {
  /** Environment of commands. */
  env: Record<string, string>;
  /** URL at which the service listens. */
  url: string;
  dataDir: string;
  /** Name of the user's organization. */
  org: string;
  /** Directory for the test's files, removed at the end. */
  dir: string;
  /** Runs a command as a user with a token. */
  run(args: string[], input?: string): Promise<Ended>;
  /** Runs `berth admin` with an operator token. */
  admin(args: string[], input?: string): Promise<Ended>;
  /** Returns the output of a command that must succeed. */
  done(...args: string[]): Promise<string>;
  /** Runs a command like `done`, with `--json`, and returns the parsed output. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was printed and asserts on it
  json(...args: string[]): Promise<any>;
  /** Starts a long-running command and returns its lines as they arrive. */
  follow(...args: string[]): { child: ChildProcess; lines: Interface };
  stop(): Promise<void>;
}

/** The service of the files of this process that share one. */
let shared: Promise<Service> | undefined;
let sharers = 0;
after(async () => (await shared)?.stop());

/**
 * Returns an installation for a test file, in an organization of its own. The files of a process share the service,
 * which has default settings: a file that changes it, or looks at what all organizations have, starts its own.
 */
export async function sharedInstallation(): Promise<Installation> {
  shared ??= startService({});
  const service = await shared;
  const org = `file${++sharers}`;
  const operator = new Api(service.url, await service.operatorToken());
  return await installation(service, org, await issueToken(operator, { user: `${org}@example.com`, org }));
}

/** Starts a service, and a token for the test. @param settings Settings of the service, `BERTH_…`. */
export async function startInstallation(settings: Record<string, string> = {}): Promise<Installation> {
  const service = await startService(settings);
  const own = await installation(service, "default", service.token);
  const stop = async () => {
    await service.stop();
    await own.stop();
  };
  return { ...own, stop };
}

async function startService(settings: Record<string, string>): Promise<Service> {
  const dir = await mkdtemp(join(tmpdir(), "berth-cli-service-"));
  const dataDir = join(dir, "data");
  await mkdir(dataDir, { mode: 0o700 });
  const made = copyMadeDatabase(dataDir);
  const env = { BERTH_DATA_DIR: dataDir };
  const { child, ended } = startBerth(["serve", "--port", "0", "--log-level", "error"], {
    env: { ...env, ...settings },
  });
  await once(createInterface({ input: child.stdout }), "line");
  const bootstrap = async (flag: string, name: string) =>
    (await berth(["bootstrap", flag, name], { env })).stdout.trim();
  const { url } = JSON.parse(await readFile(join(dataDir, "client.json"), "utf8"));
  let operator = made === null ? undefined : Promise.resolve(made.operatorToken);
  return {
    url,
    dataDir,
    token: made?.token ?? (await bootstrap("--user", OWNER)),
    operatorToken: () => (operator ??= bootstrap("--operator", OPERATOR)),
    async stop() {
      child.kill("SIGTERM");
      await ended;
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Returns the commands of a user on a service. Its `stop` leaves the service. */
async function installation(service: Service, org: string, token: string): Promise<Installation> {
  const { url, dataDir } = service;
  const dir = await mkdtemp(join(tmpdir(), "berth-cli-"));
  const env = { BERTH_DATA_DIR: dataDir, BERTH_TOKEN: token };
  const run = (args: string[], input?: string, more: Record<string, string> = {}) =>
    berth(args, { env: { ...env, ...more }, cwd: dir, ...(input === undefined ? {} : { input }) });
  const done = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(args);
    assert.deepEqual([code, stderr], [0, ""], args.join(" "));
    return stdout;
  };
  return {
    env,
    url,
    dataDir,
    org,
    dir,
    run,
    admin: async (args, input) =>
      run(["admin", ...args], input, { BERTH_TOKEN: await service.operatorToken() }),
    done,
    follow(...args) {
      const { child } = startBerth(args, { env, cwd: dir });
      return { child, lines: createInterface({ input: child.stdout }) };
    },
    json: async (...args) => JSON.parse(await done(...args, "--json")),
    stop: () => rm(dir, { recursive: true, force: true }),
  };
}
