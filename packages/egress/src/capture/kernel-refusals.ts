import { findProgram, isArchitecture } from "@berth/linux";
import { type Refusal, RefusalListener } from "./refusal-listener.ts";

/** Milliseconds before the start, since starting a process takes CPU time while a sandbox opens. */
const START_DELAY_MS = 50;
const LINGER_MS = 3000;

/**
 * Reports the connections that the kernel refuses in namespaces. One process, which opens no port and sends
 * nothing, watches all of them; it runs as long as a namespace is watched. Without it the kernel refuses the
 * same connections, unreported.
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
   * Starts watching a namespace after a short delay. Does nothing when this process is not root or Perl is
   * missing. Call the returned function, which stops watching, before the descriptor is closed.
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

/** Returns the path of Perl, or null where refusals cannot be watched. */
function findPerl(): string | null {
  return process.getuid?.() === 0 && isArchitecture(process.arch) ? findProgram("perl") : null;
}
