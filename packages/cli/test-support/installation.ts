import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { copyMadeDatabase, OWNER } from "../../../tests/made-database/made-database.ts";
import { berth, type Ended, startBerth } from "./berth.ts";

const CREATE_TOKEN = ["bootstrap", "--user", OWNER];

export interface Installation {
  /** Environment of commands. */
  env: Record<string, string>;
  /** URL at which the service listens. */
  url: string;
  dataDir: string;
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

/** Starts a service, and a token for the test. @param settings Settings of the service, `BERTH_…`. */
export async function startInstallation(settings: Record<string, string> = {}): Promise<Installation> {
  const dir = await mkdtemp(join(tmpdir(), "berth-cli-"));
  const dataDir = join(dir, "data");
  await mkdir(dataDir, { mode: 0o700 });
  const made = copyMadeDatabase(dataDir);
  const env: Record<string, string> = { BERTH_DATA_DIR: dataDir };
  const service = startBerth(["serve", "--port", "0", "--log-level", "error"], {
    env: { ...env, ...settings },
  });
  await once(createInterface({ input: service.child.stdout }), "line");
  env.BERTH_TOKEN = made?.token ?? (await berth(CREATE_TOKEN, { env })).stdout.trim();
  const run = (args: string[], input?: string) =>
    berth(args, { env, cwd: dir, ...(input === undefined ? {} : { input }) });
  const done = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(args);
    assert.deepEqual([code, stderr], [0, ""], args.join(" "));
    return stdout;
  };
  let operator = made === null ? undefined : Promise.resolve(made.operatorToken);
  const admin = async (args: string[], input?: string) => {
    operator ??= berth(["bootstrap", "--operator", "tests"], { env }).then(({ stdout }) => stdout.trim());
    const asOperator = { ...env, BERTH_TOKEN: await operator };
    return berth(["admin", ...args], {
      env: asOperator,
      cwd: dir,
      ...(input === undefined ? {} : { input }),
    });
  };
  const { url } = JSON.parse(await readFile(join(dataDir, "client.json"), "utf8"));
  return {
    env,
    url,
    dataDir,
    dir,
    run,
    admin,
    done,
    follow(...args) {
      const { child } = startBerth(args, { env, cwd: dir });
      return { child, lines: createInterface({ input: child.stdout }) };
    },
    json: async (...args) => JSON.parse(await done(...args, "--json")),
    async stop() {
      service.child.kill("SIGTERM");
      await service.ended;
      await rm(dir, { recursive: true, force: true });
    },
  };
}
