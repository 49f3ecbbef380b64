import type { Readable } from "node:stream";
import type { CommandPipes } from "../commands/pipes.ts";
import type { SandboxProcess, SandboxView } from "../commands/sandbox-view.ts";
import type { Supervisor } from "../commands/supervisor.ts";

/** Process 1 of the container, whose pids are those of the sandbox. */
const INIT = 1;

/** Sees a sandbox through its process 1, which reads `/proc` there without starting a process. */
export class PodView implements SandboxView {
  readonly init = INIT;
  readonly #supervisor: Supervisor;
  readonly #pipes: CommandPipes;

  constructor(supervisor: Supervisor, pipes: CommandPipes) {
    this.#supervisor = supervisor;
    this.#pipes = pipes;
  }

  async processes(): Promise<SandboxProcess[]> {
    const slot = await this.#pipes.take();
    const output = this.#pipes.read(slot);
    try {
      const text = readAll(output);
      const listed = await this.#supervisor.request("list", slot.name);
      // Null: the sandbox has ended, and all processes with it.
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
    return false;
  }

  async isUntouched(): Promise<boolean> {
    return false;
  }
}

/** Lines of `/proc/PID/stat`, each followed by that of `/proc/PID/limits` for file locks. */
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

/** What came before the stream ended or was destroyed. */
function readAll(stream: Readable): Promise<string> {
  let text = "";
  stream.setEncoding("latin1").on("data", (part: string) => {
    text += part;
  });
  return new Promise((resolve) => stream.once("close", () => resolve(text)));
}
