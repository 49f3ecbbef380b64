import { SandboxError } from "../interface/errors.ts";
import type { Sandbox } from "../interface/sandbox.ts";
import type { SandboxSpec } from "../interface/spec.ts";

/** The sandboxes that an engine has open, is opening or is closing, each id once. */
export class OpenSandboxes {
  readonly #open = new Map<string, Promise<Sandbox>>();
  #closed = false;

  /** Rejects with `SandboxError` only. When the sandbox is gone, `free` has to be called with its id. */
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

  /** Closes those whose id is refused; their ids. */
  async closeRefused(mayLive: (id: string) => boolean): Promise<string[]> {
    const refused = [...this.#open].filter(([id]) => !mayLive(id));
    await Promise.allSettled(refused.map(async ([, opening]) => (await opening).close()));
    return refused.map(([id]) => id);
  }

  /** Closes all, also those that are being opened, and lets none be opened from now on. Gives back why some could not be closed. */
  async close(): Promise<unknown[]> {
    this.#closed = true;
    const opened = await Promise.allSettled(this.#open.values());
    const closed = await Promise.allSettled(
      opened.map((result) => (result.status === "fulfilled" ? result.value.close() : undefined)),
    );
    return closed.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  }
}
