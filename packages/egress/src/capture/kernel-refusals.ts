import { findProgram, isArchitecture } from "@berth/linux";
import { type Program, type Refusal, RefusalListener } from "./refusal-listener.ts";

/** Starting a process takes processor time, which whoever opens a sandbox waits for meanwhile. */
const START_MS = 50;
const LINGER_MS = 3000;

/**
 * Hears what the kernel refuses in namespaces, through one process for all of them, which opens nothing and answers nothing. It
 * is there as long as a namespace is watched. Without it refusals are the same, and nobody hears of them.
 */
export class Refusals {
  readonly #log: (line: string) => void;
  readonly #program = findListener();
  readonly #waiting = new Set<() => void>();
  #listener: RefusalListener | null = null;
  #starting: NodeJS.Timeout | null = null;
  #ending: NodeJS.Timeout | undefined;

  constructor(log: (line: string) => void) {
    this.#log = log;
  }

  /** Begins a moment later, as root and where there is Perl. What it gives back ends it, and has to be called before the descriptor is closed. */
  watch(netFd: number, tell: (refusal: Refusal) => void): () => void {
    if (this.#program === null) return () => {};
    let forget: (() => void) | undefined;
    const begin = () => {
      forget = this.#listener?.watch(netFd, tell);
    };
    if (this.#listener?.ended === false) begin();
    else this.#startFor(begin, this.#program);
    return () => {
      this.#waiting.delete(begin);
      forget?.();
      clearTimeout(this.#ending);
      this.#ending = setTimeout(() => this.#endIfIdle(), LINGER_MS).unref();
    };
  }

  close(): void {
    clearTimeout(this.#ending);
    this.#listener?.end();
  }

  #startFor(begin: () => void, program: Program): void {
    this.#waiting.add(begin);
    this.#starting ??= setTimeout(() => {
      this.#starting = null;
      if (this.#waiting.size === 0) return;
      this.#listener = new RefusalListener(program, this.#log);
      for (const each of this.#waiting) each();
      this.#waiting.clear();
    }, START_MS).unref();
  }

  #endIfIdle(): void {
    if (this.#listener?.size === 0) this.#listener.end();
  }
}

function findListener(): Program | null {
  const [perl, architecture] = [findProgram("perl"), process.arch];
  if (process.getuid?.() !== 0 || perl === null || !isArchitecture(architecture)) return null;
  return { perl, architecture };
}
