import { type ChildProcessByStdio, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { Socket } from "node:net";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { Architecture } from "@berth/linux";
import { refusalsScript } from "./refusals-script.ts";

/** A connection or a datagram that the kernel refused, since nobody listens there. */
export interface Refusal {
  protocol: "tcp" | "udp";
  /** Where it was meant to go. */
  address: string;
  port: number;
}

/** What it is made of. */
export interface Program {
  perl: string;
  architecture: Architecture;
}

/** The process that hears what the kernel refuses in namespaces. It lives no longer than this one. */
export class RefusalListener {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #log: (line: string) => void;
  readonly #tells = new Map<string, (refusal: Refusal) => void>();
  /** Descriptors that keep namespaces until they are watched. */
  readonly #handed = new Map<string, number>();
  #count = 0;
  #complaint = "";
  /** Nothing more can be watched. */
  ended = false;

  constructor({ perl, architecture }: Program, log: (line: string) => void) {
    this.#log = log;
    const child = spawn(perl, ["-e", refusalsScript(architecture)], {
      env: {},
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#child = child;
    child.unref();
    for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as unknown as Socket).unref();
    child.stdin.on("error", () => {});
    child.on("error", ({ message }) => this.#complain(message));
    child.stderr.on("data", (bytes) => this.#complain(String(bytes)));
    child.once("close", () => this.#gone());
    createInterface({ input: child.stdout }).on("line", (line) => this.#heard(line));
  }

  /** How many namespaces are watched. */
  get size(): number {
    return this.#tells.size;
  }

  /** Begins a moment later; the descriptor may be closed at once. Gives back what ends it. */
  watch(netFd: number, tell: (refusal: Refusal) => void): () => void {
    const id = String(++this.#count);
    const fd = openSync(`/proc/self/fd/${netFd}`, "r");
    this.#tells.set(id, tell);
    this.#handed.set(id, fd);
    this.#child.stdin.write(`watch ${id} /proc/${process.pid}/fd/${fd}\n`);
    return () => {
      this.#tells.delete(id);
      if (!this.ended) this.#child.stdin.write(`forget ${id}\n`);
    };
  }

  end(): void {
    this.ended = true;
    this.#tells.clear();
    this.#child.stdin.end();
  }

  #heard(line: string): void {
    const [what = "", id = "", port = "", address = ""] = line.split(" ");
    if (what === "tcp" || what === "udp")
      this.#tells.get(id)?.({ protocol: what, address: shortened(address), port: Number(port) });
    else this.#letGo(id);
    if (what === "failed") this.#log(`egress: what the kernel refuses in a sandbox is not heard: ${line}`);
  }

  #letGo(id: string): void {
    const fd = this.#handed.get(id);
    if (fd === undefined) return;
    this.#handed.delete(id);
    closeSync(fd);
  }

  #complain(text: string): void {
    if (this.#complaint.length < 1000) this.#complaint += text.trim();
  }

  #gone(): void {
    if (!this.ended)
      this.#log(`egress: what the kernel refuses in sandboxes is not heard any more: ${this.#complaint}`);
    this.ended = true;
    for (const id of [...this.#handed.keys()]) this.#letGo(id);
  }
}

/** As everything else writes IPv6 addresses. */
function shortened(address: string): string {
  return address.includes(":") ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
}
