import { type ChildProcessByStdio, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { Socket } from "node:net";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { encode, perlProgram } from "@berth/linux";
import { REFUSAL_FILTER } from "./refusal-filter.ts";

const WATCH_REFUSALS = perlProgram(new URL("../../scripts/watch-refusals.pl", import.meta.url));

/** A connection or datagram that the kernel refused because nothing listens at its destination. */
export interface Refusal {
  protocol: "tcp" | "udp";
  /** Original destination address. */
  address: string;
  port: number;
}

/** The process that watches namespaces (scripts/watch-refusals.pl). It ends when this process ends. */
export class RefusalListener {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #log: (line: string) => void;
  readonly #reports = new Map<string, (refusal: Refusal) => void>();
  /** Descriptors that keep namespaces open until the process watches them. */
  readonly #pending = new Map<string, number>();
  #count = 0;
  #stderr = "";
  /** Whether the process has ended, so that no further namespace can be watched. */
  ended = false;

  constructor(perl: string, log: (line: string) => void) {
    this.#log = log;
    const child = spawn(perl, ["-e", WATCH_REFUSALS, "--", encode(REFUSAL_FILTER).toString("hex")], {
      env: {},
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#child = child;
    child.unref();
    for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as unknown as Socket).unref();
    child.stdin.on("error", () => {});
    child.on("error", ({ message }) => this.#keepError(message));
    child.stderr.on("data", (bytes) => this.#keepError(String(bytes)));
    child.once("close", () => this.#onClose());
    createInterface({ input: child.stdout }).on("line", (line) => this.#onLine(line));
  }

  /** Number of watched namespaces. */
  get size(): number {
    return this.#reports.size;
  }

  /**
   * Starts watching in the background; the caller may close its descriptor. Returns a function that stops.
   */
  watch(netFd: number, report: (refusal: Refusal) => void): () => void {
    const id = String(++this.#count);
    const fd = openSync(`/proc/self/fd/${netFd}`, "r");
    this.#reports.set(id, report);
    this.#pending.set(id, fd);
    this.#child.stdin.write(`watch ${id} /proc/${process.pid}/fd/${fd}\n`);
    return () => {
      this.#reports.delete(id);
      if (!this.ended) this.#child.stdin.write(`forget ${id}\n`);
    };
  }

  end(): void {
    this.ended = true;
    this.#reports.clear();
    this.#child.stdin.end();
  }

  #onLine(line: string): void {
    const [kind = "", id = "", port = "", address = ""] = line.split(" ");
    if (kind === "tcp" || kind === "udp")
      this.#reports.get(id)?.({ protocol: kind, address: shortened(address), port: Number(port) });
    else this.#release(id);
    if (kind === "failed") this.#log(`egress: the kernel's refusals in a sandbox are not reported: ${line}`);
  }

  #release(id: string): void {
    const fd = this.#pending.get(id);
    if (fd === undefined) return;
    this.#pending.delete(id);
    closeSync(fd);
  }

  #keepError(text: string): void {
    if (this.#stderr.length < 1000) this.#stderr += text.trim();
  }

  #onClose(): void {
    if (!this.ended)
      this.#log(`egress: the kernel's refusals in sandboxes are no longer reported: ${this.#stderr}`);
    this.ended = true;
    for (const id of [...this.#pending.keys()]) this.#release(id);
  }
}

/** Returns an IPv6 address in its shortest form. */
function shortened(address: string): string {
  return address.includes(":") ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
}
