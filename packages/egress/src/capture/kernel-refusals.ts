import { findProgram, isArchitecture } from "@berth/linux";
import { type Refusal, RefusalListener } from "./refusal-listener.ts";

/** Delay of the start, since starting a process takes processor time while a sandbox is being opened. */
const START_DELAY_MS = 50;
const LINGER_MS = 3000;

/**
 * Reports what the kernel refuses in namespaces, through one process for all of them that opens no port and sends nothing. It
 * runs as long as a namespace is watched. Without it the kernel refuses the same, unreported.
 */
export class KernelRefusals {
  readonly #log: (line: string) => void;
  readonly #perl = findPerl();
  readonly #waiting = new Set<() => void>();
  #listener: RefusalListener | null = null;
  #starting: NodeJS.Timeout | null = null;
  #ending: NodeJS.Timeout | undefined;

  constructor(log: (line: string) => void) {
    this.#log = log;
  }

  /**
   * Starts watching shortly after, as root and where there is Perl; elsewhere it does nothing. Call the returned function, which
   * stops it, before the descriptor is closed.
   */
  watch(netFd: number, report: (refusal: Refusal) => void): () => void {
    if (this.#perl === null) return () => {};
    let stop: (() => void) | undefined;
    const start = () => {
      stop = this.#listener?.watch(netFd, report);
    };
    if (this.#listener?.ended === false) start();
    else this.#startLater(start, this.#perl);
    return () => {
      this.#waiting.delete(start);
      stop?.();
      clearTimeout(this.#ending);
      this.#ending = setTimeout(() => this.#endIfIdle(), LINGER_MS).unref();
    };
  }

  close(): void {
    clearTimeout(this.#ending);
    this.#listener?.end();
  }

  #startLater(start: () => void, perl: string): void {
    this.#waiting.add(start);
    this.#starting ??= setTimeout(() => {
      this.#starting = null;
      if (this.#waiting.size === 0) return;
      this.#listener = new RefusalListener(perl, this.#log);
      for (const each of this.#waiting) each();
      this.#waiting.clear();
    }, START_DELAY_MS).unref();
  }

  #endIfIdle(): void {
    if (this.#listener?.size === 0) this.#listener.end();
  }
}

/** Null where refusals cannot be watched. */
function findPerl(): string | null {
  return process.getuid?.() === 0 && isArchitecture(process.arch) ? findProgram("perl") : null;
}
