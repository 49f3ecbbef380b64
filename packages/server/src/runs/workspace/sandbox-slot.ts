import type { OpenedSandbox } from "./sandbox-opener.ts";

/** The one sandbox of a session that is open, or being opened. One that has died by itself is not there any more. */
export class SandboxSlot {
  #opening: Promise<OpenedSandbox> | undefined;
  #ended = false;

  get ended(): boolean {
    return this.#ended;
  }

  isOpen(): boolean {
    return this.#opening !== undefined;
  }

  /** The sandbox; where there is none, what `open` brings. Rejects after `end`. */
  opened(open: () => Promise<OpenedSandbox>): Promise<OpenedSandbox> {
    if (this.#ended) return Promise.reject(new Error("The session's workspace has ended."));
    if (this.#opening !== undefined) return this.#opening;
    const own = open();
    this.#opening = own;
    const forget = () => {
      if (this.#opening === own) this.#opening = undefined;
    };
    own.then(({ sandbox }) => sandbox.closed.then(forget), forget);
    return own;
  }

  /** Undefined where there is none, or it could not be opened. */
  async current(): Promise<OpenedSandbox | undefined> {
    return await settled(this.#opening);
  }

  async close(): Promise<void> {
    const closing = this.#opening;
    this.#opening = undefined;
    await (await settled(closing))?.sandbox.close();
  }

  /** Closes it, and nothing is opened any more. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.close();
  }
}

async function settled<T>(promise: Promise<T> | undefined): Promise<T | undefined> {
  return await promise?.catch(() => undefined);
}
