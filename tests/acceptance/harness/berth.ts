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
import { copyMadeDatabase, type MadeTokens, OPERATOR, OWNER } from "../../made-database/made-database.ts";
import { storesIn } from "../../many-machines/harness/stores.ts";
import { Api } from "./api.ts";
import { atExit } from "./at-exit.ts";
import { CLUSTER_SERVICE, IN_CLUSTER } from "./cluster-form.ts";
import { issueToken, type NewToken } from "./issue-token.ts";
import { waitUntil } from "./wait-until.ts";

const BINARY = fileURLToPath(new URL("../../../bin/berth", import.meta.url));
const execFileAsync = promisify(execFile);

/** Operator tokens by data directory, so that a restarted service is used with the token that it had before. */
const OPERATOR_TOKENS = new Map<string, Promise<string>>();

/** Long, since on a loaded machine the start of a runner can take most of a minute. */
const MAX_START_MS = 180_000;

export interface BerthOptions {
  /** Settings as variables `BERTH_…`. */
  settings?: Record<string, string>;
  /** The data directory of an earlier service; a new one by default. */
  dataDir?: string;
  /**
   * A command that executes the service, such as a tracer with its arguments. The service must stay this
   * process's child.
   */
  wrapper?: readonly string[];
  /** The command line of another release; by default that of this repository. */
  binary?: string | undefined;
  /** Called with the text that the service writes to stderr. */
  log?: (text: string) => void;
}

/**
 * Returns the variables of this process without those for tests: a service warns of each unknown `BERTH_`
 * variable.
 */
function serviceVariables(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("BERTH_TEST_"));
  return Object.fromEntries(own);
}

/** A running service with its own process, data directory and port, started as a user starts it. */
export class Berth {
  readonly url: string;
  readonly dataDir: string;
  readonly #binary: string;
  readonly #process: ChildProcess;
  readonly #log: string[];
  readonly #output: string[];
  /** The settings that the service was started with, for commands on its host. */
  readonly #settings: Record<string, string>;
  /** The owner's token, created with the database; null once it has been taken. */
  #madeToken: string | null;

  private constructor(
    url: string,
    { dataDir, made }: Beginning,
    process: ChildProcess,
    {
      binary,
      settings,
      log,
      output,
    }: { binary: string; settings: Record<string, string>; log: string[]; output: string[] },
  ) {
    this.url = url;
    this.dataDir = dataDir;
    this.#madeToken = made?.token ?? null;
    if (made !== null) OPERATOR_TOKENS.set(dataDir, Promise.resolve(made.operatorToken));
    this.#process = process;
    this.#binary = binary;
    this.#settings = settings;
    this.#log = log;
    this.#output = output;
  }

  static async start(options: BerthOptions = {}): Promise<Berth> {
    const beginning = await begin(options);
    const { dataDir } = beginning;
    const binary = options.binary ?? BINARY;
    const serve = isCluster(options)
      ? CLUSTER_SERVICE
      : [binary, "serve", "--host", "127.0.0.1", "--port", "0"];
    const [program = binary, ...args] = [...(options.wrapper ?? []), ...serve, "--data-dir", dataDir];
    const child = spawn(program, args, {
      env: { ...serviceVariables(), BERTH_ROOTFS: "host", ...options.settings },
      stdio: ["ignore", "pipe", "pipe"],
    });
    endWithTest(child);
    const log: string[] = [];
    const output: string[] = [];
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      log.push(chunk);
      options.log?.(chunk);
    });
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => output.push(chunk));
    const ended = once(child, "close").then(
      ([code]) => new Error(`serve ended with ${code}:\n${log.join("")}`),
    );
    const url = await listening(child);
    if (url === null) throw await ended;
    child.stdout.resume();
    return new Berth(url, beginning, child, { binary, settings: options.settings ?? {}, log, output });
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** The text written to stderr so far. */
  get log(): string {
    return this.#log.join("");
  }

  /** The text written to stdout so far. */
  get output(): string {
    return this.#output.join("");
  }

  /** Resolves once the log matches. Log lines may arrive after the responses that they belong to. */
  async logged(text: RegExp): Promise<void> {
    await waitUntil(
      () => text.test(this.log),
      () => `The log does not have ${text}:\n${this.log.slice(-2_000)}`,
    );
  }

  /** Returns a client with a new token; by default of the user owner@example.com with every scope. */
  async client(options: NewToken = {}): Promise<Api> {
    return new Api(this.url, await this.token(options));
  }

  /** Returns a client with an operator token. */
  async operator(): Promise<Api> {
    return new Api(this.url, await this.operatorToken());
  }

  /** Returns an operator token, the same at each call. */
  async operatorToken(): Promise<string> {
    const known =
      OPERATOR_TOKENS.get(this.dataDir) ??
      this.#run(this.#binary, ["bootstrap", "--operator", OPERATOR], this.#settings);
    OPERATOR_TOKENS.set(this.dataDir, known);
    return await known;
  }

  /** Runs the command line on this installation, `admin` with an operator token, and returns its output. */
  async command(...args: string[]): Promise<string> {
    if (args[0] !== "admin") return await this.#run(this.#binary, args);
    const BERTH_TOKEN = await this.operatorToken();
    return await this.#run(this.#binary, args, { BERTH_URL: this.url, BERTH_TOKEN });
  }

  /** Runs the command line of this repository on this installation and returns its output. */
  async currentCommand(...args: string[]): Promise<string> {
    return await this.#run(BINARY, args);
  }

  async #run(
    binary: string,
    args: readonly string[],
    variables: Record<string, string> = {},
  ): Promise<string> {
    const env = { ...process.env, ...variables, ...storesIn(this.dataDir) };
    const { stdout } = await execFileAsync(binary, [...args, "--data-dir", this.dataDir], { env });
    return stdout.trim();
  }

  async token(options: NewToken = {}): Promise<string> {
    const made = this.#madeToken;
    if (made !== null && Object.keys(options).length === 0) {
      this.#madeToken = null;
      return made;
    }
    return this.#isAsked ? await issueToken(await this.operator(), options) : await this.#bootstrap(options);
  }

  /**
   * Whether the harness can send operator requests to this service: not if it is another release, or behind
   * TLS.
   */
  get #isAsked(): boolean {
    return this.#binary === BINARY && this.url.startsWith("http:");
  }

  async #bootstrap({ user = OWNER, org, role, scopes, expiresIn }: NewToken): Promise<string> {
    const flags = { user, org, role, scopes, "expires-in": expiresIn };
    const given = Object.entries(flags).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}`, `${value}`],
    );
    return await this.command("bootstrap", ...given);
  }

  /** Resolves when the service can run sessions. */
  async ready(): Promise<void> {
    const deadline = performance.now() + MAX_START_MS;
    while (performance.now() < deadline) {
      const response = await fetch(`${this.url}/readyz`).catch(() => null);
      if (response?.status === 200) return;
      await pause(50);
    }
    throw new Error(`The service did not become ready:\n${this.log.slice(-2_000)}`);
  }

  /** Sends a signal, waits for the process to exit and returns the exit code. The data directory remains. */
  async kill(signal: NodeJS.Signals): Promise<number | null> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return this.#process.exitCode;
    const ended = once(this.#process, "exit");
    this.#process.kill(signal);
    const [code] = await ended;
    return code;
  }

  /** Stops the service and removes its data directory. */
  async stop(): Promise<void> {
    await this.kill("SIGTERM");
    await rm(this.dataDir, { recursive: true, force: true });
  }
}

function isCluster({ wrapper, binary }: BerthOptions): boolean {
  return IN_CLUSTER && wrapper === undefined && binary === undefined;
}

interface Beginning {
  dataDir: string;
  made: MadeTokens | null;
}

/**
 * Makes the data directory. A new one starts with a copied database, unless the settings name another one.
 */
async function begin({ dataDir, binary, settings = {} }: BerthOptions): Promise<Beginning> {
  if (dataDir !== undefined) return { dataDir, made: null };
  const directory = await mkdtemp(join(tmpdir(), "berth-test-"));
  const ownDatabase = ["BERTH_DATABASE_URL", "BERTH_DATABASE_URL_FILE", "BERTH_PG_BIN"].every(
    (name) => settings[name] === undefined && process.env[name] === undefined,
  );
  const copied = binary === undefined && ownDatabase && !IN_CLUSTER ? copyMadeDatabase(directory) : null;
  return { dataDir: directory, made: copied };
}

// A test file that takes too long is ended by SIGTERM; `exit` handlers run only on an exit.
process.once("SIGTERM", () => process.exit(1));

/** Ends a service with the test file, even if a failed test did not stop it. */
function endWithTest(child: ChildProcess): void {
  child.once(
    "exit",
    atExit(() => child.kill("SIGTERM")),
  );
}

/** Returns the URL that the service prints when it is ready; null if it ends before. */
async function listening(child: ChildProcess): Promise<string | null> {
  if (child.stdout === null) throw new Error("serve has no stdout");
  for await (const line of createInterface({ input: child.stdout })) {
    const url =
      /^berth: (?:listening on|(?:runs sessions|accepts tunnels at \S+); health and metrics at) (https?:\S+)$/.exec(
        line,
      )?.[1];
    if (url !== undefined) return url;
  }
  return null;
}

/** Starts a service for one test file, with a client of its owner; it stops after the last test. */
export async function startBerth(options: BerthOptions = {}): Promise<{ berth: Berth; api: Api }> {
  const berth = await Berth.start(options);
  after(() => berth.stop());
  return { berth, api: await berth.client() };
}
