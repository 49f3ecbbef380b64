import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Api } from "./api.ts";

const binary = fileURLToPath(new URL("../../../bin/berth", import.meta.url));
const execFileAsync = promisify(execFile);

export interface BerthOptions {
  /** Settings, `BERTH_…`. */
  settings?: Record<string, string>;
  /** An earlier one's data, to start again on it. */
  dataDir?: string;
  /** A command that runs it, such as a tracer with its arguments, and leaves it this process's child. */
  under?: readonly string[];
}

export interface NewToken {
  user?: string;
  org?: string;
  role?: "member" | "admin";
  kind?: "pat" | "sat";
  scopes?: string;
  expiresIn?: number;
}

/** A running service, as a user starts it: its own process, data directory and port. */
export class Berth {
  readonly url: string;
  readonly dataDir: string;
  readonly #process: ChildProcess;
  readonly #log: string[];
  readonly #output: string[];

  private constructor(
    url: string,
    dataDir: string,
    process: ChildProcess,
    { log, output }: { log: string[]; output: string[] },
  ) {
    this.url = url;
    this.dataDir = dataDir;
    this.#process = process;
    this.#log = log;
    this.#output = output;
  }

  static async start(options: BerthOptions = {}): Promise<Berth> {
    const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "berth-test-")));
    const serve = [binary, "serve", "--data-dir", dataDir, "--host", "127.0.0.1", "--port", "0"];
    const [program = binary, ...args] = [...(options.under ?? []), ...serve];
    const child = spawn(program, args, {
      env: { ...process.env, BERTH_ROOTFS: "host", ...options.settings },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const log: string[] = [];
    const output: string[] = [];
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => log.push(chunk));
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => output.push(chunk));
    const url = await Promise.race([
      listening(child),
      once(child, "exit").then(([code]) =>
        Promise.reject(new Error(`serve ended with ${code}:\n${log.join("")}`)),
      ),
    ]);
    child.stdout.resume();
    return new Berth(url, dataDir, child, { log, output });
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** What it has written to stderr so far. */
  get log(): string {
    return this.#log.join("");
  }

  /** What it has written to stdout so far. */
  get output(): string {
    return this.#output.join("");
  }

  /** A client with a new token; without options, of the user owner@example.com with every scope. */
  async client(options: NewToken = {}): Promise<Api> {
    return new Api(this.url, await this.token(options));
  }

  /** Runs the command line on this installation; answers its output. */
  async command(...args: string[]): Promise<string> {
    const { stdout } = await execFileAsync(binary, [...args, "--data-dir", this.dataDir]);
    return stdout.trim();
  }

  async token(options: NewToken = {}): Promise<string> {
    const { user = "owner@example.com", org, role, kind, scopes, expiresIn } = options;
    const flags = { user, org, role, kind, scopes, "expires-in": expiresIn };
    const given = Object.entries(flags).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}`, `${value}`],
    );
    return await this.command("token", "create", ...given);
  }

  /** Resolves when it can serve and run sessions. */
  async ready(): Promise<void> {
    for (let tries = 0; tries < 3_000; tries++) {
      const answer = await fetch(`${this.url}/readyz`).catch(() => null);
      if (answer?.status === 200) return;
      await pause(20);
    }
    throw new Error(`It did not become ready:\n${this.log.slice(-2_000)}`);
  }

  /** Ends it by a signal and waits for that; the data stays. Answers the exit code. */
  async kill(signal: NodeJS.Signals): Promise<number | null> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return this.#process.exitCode;
    const ended = once(this.#process, "exit");
    this.#process.kill(signal);
    const [code] = await ended;
    return code;
  }

  /** Ends it in order and removes its data. */
  async stop(): Promise<void> {
    await this.kill("SIGTERM");
    await rm(this.dataDir, { recursive: true, force: true });
  }
}

async function listening(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("serve has no stdout");
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^berth: listening on (http:\S+)$/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error("serve closed its stdout without listening");
}

/** A service for one test file, with a client of its owner; it is stopped after the last test. */
export async function startBerth(options: BerthOptions = {}): Promise<{ berth: Berth; api: Api }> {
  const berth = await Berth.start(options);
  after(() => berth.stop());
  return { berth, api: await berth.client() };
}
