import { SandboxError } from "../interface/errors.ts";
import type { Sandbox } from "../interface/sandbox.ts";
import type { SandboxSpec } from "../interface/spec.ts";

/** The sandboxes of an engine that are open, opening or closing, by id. */
export class OpenSandboxes {
  readonly #open = new Map<string, Promise<Sandbox>>();
  #closed = false;

  /**
   * Opens a sandbox. Rejects only with `SandboxError`. Call `free` with the id once the sandbox has been
   * removed.
   */
  async open(spec: SandboxSpec, openNow: () => Promise<Sandbox>): Promise<Sandbox> {
    if (!/^[a-z0-9_]{1,64}$/.test(spec.id))
      throw new SandboxError(`not a sandbox id: ${JSON.stringify(spec.id)}`);
    if (this.#closed) throw new SandboxError("the engine is closed");
    if (this.#open.has(spec.id)) throw new SandboxError(`the sandbox ${spec.id} is open already`);
    const opening = openNow();
    this.#open.set(spec.id, opening);
    try {
      return await opening;
    } catch (error) {
      this.#open.delete(spec.id);
      throw error instanceof SandboxError
        ? error
        : new SandboxError("the sandbox could not be opened", { cause: error });
    }
  }

  has(id: string): boolean {
    return this.#open.has(id);
  }

  free(id: string): void {
    this.#open.delete(id);
  }

  /** Closes the sandboxes whose id `mayLive` rejects, and returns their ids. */
  async closeRejected(mayLive: (id: string) => boolean): Promise<string[]> {
    const rejected = [...this.#open].filter(([id]) => !mayLive(id));
    await Promise.allSettled(rejected.map(async ([, opening]) => (await opening).close()));
    return rejected.map(([id]) => id);
  }

  /**
   * Closes all sandboxes, including those that are still opening, and rejects further opens. Returns the
   * errors of those that failed to close.
   */
  async close(): Promise<unknown[]> {
    this.#closed = true;
    const opened = await Promise.allSettled(this.#open.values());
    const closed = await Promise.allSettled(
      opened.map((result) => (result.status === "fulfilled" ? result.value.close() : undefined)),
    );
    return closed.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  }
}
