import { NoRoomError, SandboxError } from "../interface/errors.ts";
import type { SandboxSpec } from "../interface/spec.ts";
import type { Cluster } from "./cluster.ts";
import { throwIfFailed, waitsFor } from "./pod-status.ts";
import { PodRoom } from "./room.ts";

/** Watches a pod while it starts: its own fault says more than that of a connection to it. */
export class PodStart {
  readonly #failed: Promise<never>;
  readonly #ending = new AbortController();

  /** @param makeRoom called while it finds no room; see `SandboxSpec`. */
  constructor(cluster: Cluster, pod: string, timeoutMs: number, makeRoom: SandboxSpec["makeRoom"]) {
    const timeout = AbortSignal.timeout(timeoutMs);
    const room = new PodRoom(makeRoom, AbortSignal.any([this.#ending.signal, timeout]));
    let waits = "";
    const watching = cluster.watchPod(pod, AbortSignal.any([this.#ending.signal, timeout]), (seen) => {
      waits = waitsFor(seen);
      room.saw(seen);
      throwIfFailed(seen);
      return null;
    });
    this.#failed = watching.then(
      () => Promise.reject(new SandboxError("the pod did not start")),
      (error: unknown) => {
        const isUnplaced = timeout.aborted && waits !== "";
        const fault = isUnplaced ? unplaced(waits, room.isCrowded) : error;
        this.#ending.abort(fault);
        throw fault;
      },
    );
    this.#failed.catch(() => {});
  }

  /** Aborts when the pod will not start, or is not watched any more. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** @throws what is wrong with the pod, as soon as that is known. */
  async orFailed<T>(step: Promise<T>): Promise<T> {
    step.catch(() => {});
    return await Promise.race([step, this.#failed]);
  }

  end(): void {
    this.#ending.abort();
  }
}

function unplaced(waits: string, isCrowded: boolean): SandboxError {
  const cause = new SandboxError(`the pod finds no node: ${waits}`);
  return isCrowded ? new NoRoomError({ cause }) : cause;
}
