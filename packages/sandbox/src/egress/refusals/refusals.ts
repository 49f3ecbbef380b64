import { findProgram } from "../../host/find-program.ts";
import { isArchitecture } from "../../seccomp/seccomp.ts";
import { type Refusal, RefusalListener } from "./refusal-listener.ts";

/**
 * Hears what the kernel refuses in namespaces, through one process for all of them, which opens nothing and answers nothing. It
 * is there as long as a namespace is watched. Without it refusals are the same, and nobody hears of them.
 */
export class Refusals {
  readonly #log: (line: string) => void;
  #listener: RefusalListener | null = null;

  constructor(log: (line: string) => void) {
    this.#log = log;
  }

  /** Begins a moment later, as root and where there is Perl. What it gives back ends it; the descriptor may be closed at any time. */
  watch(netFd: number, tell: (refusal: Refusal) => void): () => void {
    if (this.#listener === null || this.#listener.ended) this.#listener = this.#start();
    const listener = this.#listener;
    const forget = listener?.watch(netFd, tell);
    return () => {
      forget?.();
      if (listener?.size === 0) listener.end();
    };
  }

  #start(): RefusalListener | null {
    const perl = findProgram("perl");
    const architecture = process.arch;
    if (process.getuid?.() !== 0 || perl === null || !isArchitecture(architecture)) return null;
    return new RefusalListener({ perl, architecture }, this.#log);
  }
}
