import { type ChildProcess, spawn } from "node:child_process";
import { perlScript } from "../../scripts/read-script.ts";
import { handlesOf } from "../launch/child-handles.ts";

const PROGRAM = perlScript(
  "bubblewrap/living-sandbox.pl",
  "bubblewrap/mount-snapshots.pl",
  "bubblewrap/unmount-snapshot.pl",
  "bubblewrap/mount-helper.pl",
);
/**
 * Milliseconds, more than the program itself allows a request, for a request that is killed or stuck in the
 * kernel.
 */
const TIMEOUT_MS = 70_000;
/**
 * Milliseconds without requests after which the process ends. Sessions tend to start together; in between it
 * would only take memory.
 */
const IDLE_MS = 60_000;

/** The helper's response to one request. */
export interface MountAnswer {
  /** Exit status; see `mount-snapshots.pl`. Null when the process gave none. */
  status: number | null;
  /** The error message; empty on success. */
  text: string;
}

/**
 * Runs a process that mounts snapshots; see `mount-helper.pl`. Starting a program from a process as large as
 * this one would slow down each mount. The helper starts with the first request and ends after a minute
 * without requests.
 */
export class MountHelper {
  readonly #perl: string;
  #process: HelperProcess | null = null;

  constructor(perl: string) {
    this.#perl = perl;
  }

  /** Sends a request to the helper. Never rejects. */
  request(what: "mount" | "unmount", args: readonly string[]): Promise<MountAnswer> {
    if (this.#process === null) {
      const started = new HelperProcess(this.#perl, () => {
        if (this.#process === started) this.#process = null;
      });
      this.#process = started;
    }
    return this.#process.request(what, args);
  }

  /** Ends the process once it has answered all pending requests. */
  close(): void {
    this.#process?.finish();
  }
}

/** One helper process, from its start to its end. */
class HelperProcess {
  readonly #child: ChildProcess;
  readonly #ended: () => void;
  readonly #waiting = new Map<string, (answer: MountAnswer) => void>();
  #idle: NodeJS.Timeout | undefined;
  #count = 0;
  #text = "";

  /** @param ended Called once the process accepts no more requests. */
  constructor(perl: string, ended: () => void) {
    this.#ended = ended;
    this.#child = spawn(perl, ["-e", PROGRAM], { cwd: "/", env: {}, stdio: ["pipe", "pipe", "ignore"] });
    this.#child.stdin?.on("error", () => {});
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => this.#read(text));
    this.#child.once("error", (error) => this.#end(error.message));
    this.#child.once("close", () => this.#end("its helper ended"));
  }

  request(what: string, args: readonly string[]): Promise<MountAnswer> {
    clearTimeout(this.#idle);
    for (const one of handlesOf(this.#child)) one.ref();
    const number = String(++this.#count);
    const { promise, resolve } = Promise.withResolvers<MountAnswer>();
    const timer = setTimeout(() => answer({ status: null, text: "it does not end" }), TIMEOUT_MS);
    const answer = (given: MountAnswer) => {
      clearTimeout(timer);
      this.#waiting.delete(number);
      if (this.#waiting.size === 0) this.#rest();
      resolve(given);
    };
    this.#waiting.set(number, answer);
    const fields = [number, what, String(args.length), ...args];
    this.#child.stdin?.write(fields.map((field) => `${field}\0`).join(""));
    return promise;
  }

  /** Lets this process exit while no request is pending, and ends the helper after a while. */
  #rest(): void {
    this.#idle = setTimeout(() => this.finish(), IDLE_MS).unref();
    for (const one of handlesOf(this.#child)) one.unref();
  }

  finish(): void {
    clearTimeout(this.#idle);
    this.#ended();
    this.#child.stdin?.end();
  }

  #read(text: string): void {
    const fields = (this.#text + text).split("\0");
    for (; fields.length > 3; fields.splice(0, 3)) {
      const [number = "", status, said = ""] = fields;
      this.#waiting.get(number)?.({ status: Number(status), text: said.trim() });
    }
    this.#text = fields.join("\0");
  }

  #end(why: string): void {
    this.#ended();
    for (const answer of this.#waiting.values()) answer({ status: null, text: why });
  }
}
