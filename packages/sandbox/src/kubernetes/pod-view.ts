import type { Readable } from "node:stream";
import type { CommandPipes } from "../commands/pipes.ts";
import type { SandboxProcess, SandboxView } from "../commands/sandbox-view.ts";
import type { Supervisor } from "../commands/supervisor.ts";
import type { Mount } from "../inside/mounts.ts";
import type { PipeConnection } from "./pipe-connection.ts";
import { DISK } from "./pod-body.ts";

/** Pid of process 1 in the container, where all pids are those of the sandbox. */
const INIT = 1;

/** Free bytes below which a filesystem counts as full: delayed writes may free some blocks again. */
const FULL_BYTES = 256 * 1024;

export interface ViewDeps {
  supervisor: Supervisor;
  pipes: CommandPipes;
  connection: PipeConnection;
  /** Writable directories: path on the disk and path in the sandbox. */
  writable: readonly Mount[];
}

/**
 * Observes the processes of a sandbox through its process 1, which reads `/proc` there without starting a
 * process. Observes the disk through the container beside it.
 */
export class PodView implements SandboxView {
  readonly init = INIT;
  readonly #supervisor: Supervisor;
  readonly #pipes: CommandPipes;
  readonly #connection: PipeConnection;
  readonly #writable: readonly Mount[];

  constructor({ supervisor, pipes, connection, writable }: ViewDeps) {
    this.#supervisor = supervisor;
    this.#pipes = pipes;
    this.#connection = connection;
    this.#writable = writable;
  }

  async processes(): Promise<SandboxProcess[]> {
    const slot = await this.#pipes.take();
    const output = this.#pipes.read(slot);
    try {
      const text = readAll(output);
      const listed = await this.#supervisor.request("list", slot.name);
      // The sandbox has ended, and all processes with it.
      return listed === null ? [] : parseProcesses(await text);
    } finally {
      output.destroy();
      this.#pipes.release(slot);
    }
  }

  async tickAt(moment: number): Promise<number> {
    const now = (await this.#supervisor.request("uptime")) ?? 0;
    return Math.floor(now - (performance.now() - moment) / 10);
  }

  async isDiskFull(): Promise<boolean> {
    const space = await this.#space();
    return space !== null && (space.available < FULL_BYTES || (space.files > 0 && space.freeFiles === 0));
  }

  /** See `HostView.isUntouched`. */
  async isUntouched(directory: string): Promise<boolean> {
    const mount = this.#writable.find(({ inside }) => inside === directory);
    if (mount === undefined) return false;
    const [, times = ""] = await this.#connection.view(`${DISK}/${mount.host}`);
    const [born = "", changed] = times.split("|");
    return born.length > 1 && born === changed;
  }

  /** Returns the bytes that the files on the disk take; null when they are unknown. */
  async diskBytes(): Promise<number | null> {
    return (await this.#space())?.used ?? null;
  }

  async #space() {
    const [line = ""] = await this.#connection.view(DISK);
    const numbers = line.split(" ").map(Number);
    if (numbers.length !== 6 || numbers.some(Number.isNaN)) return null;
    const [blocks = 0, size = 0, free = 0, available = 0, files = 0, freeFiles = 0] = numbers;
    return { used: (blocks - free) * size, available: available * size, files, freeFiles };
  }
}

/** Parses lines of `/proc/PID/stat`, each followed by the line of `/proc/PID/limits` for file locks. */
export function parseProcesses(text: string): SandboxProcess[] {
  const found = [];
  for (const [, pid, rest = "", locks] of text.matchAll(
    /^(\d+) \(.*\) ([A-Za-z] .*)\nMax file locks +\S+ +(\S+)/gm,
  )) {
    const [state, parent, , session, ...more] = rest.split(" ");
    if (state === "Z" || Number(pid) === INIT) continue;
    const insidePid = Number(pid);
    found.push({
      pid: insidePid,
      parent: Number(parent),
      insidePid,
      insideSession: Number(session),
      startTick: Number(more[15]),
      fileLocks: Number(locks),
    });
  }
  return found;
}

/** Returns all text until the stream ended or was destroyed. */
function readAll(stream: Readable): Promise<string> {
  let text = "";
  stream.setEncoding("latin1").on("data", (part: string) => {
    text += part;
  });
  return new Promise((resolve) => stream.once("close", () => resolve(text)));
}
