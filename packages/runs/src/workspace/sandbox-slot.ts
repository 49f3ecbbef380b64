import type { OpenedSandbox } from "./opening.ts";

/** Holds the one sandbox of a session that is open or opening. One that dies leaves the slot by itself. */
export class SandboxSlot {
  #opening: Promise<OpenedSandbox> | undefined;
  #closing: Promise<void> | undefined;
  #isThere = false;
  #ended = false;

  get ended(): boolean {
    return this.#ended;
  }

  isOpen(): boolean {
    return this.#opening !== undefined;
  }

  /** Returns whether the sandbox is already open. */
  isThere(): boolean {
    return this.#opening !== undefined && this.#isThere;
  }

  /** Returns the sandbox, or opens one if there is none, once the last one is closed. Rejects after `end`. */
  async opened(open: () => Promise<OpenedSandbox>): Promise<OpenedSandbox> {
    if (this.#ended) throw new Error("The session's workspace has ended.");
    const opened = await (this.#opening ?? this.#open(open));
    if (opened.sandbox.isEnding !== true) return opened;
    await opened.sandbox.closed;
    return await this.opened(open);
  }

  #open(open: () => Promise<OpenedSandbox>): Promise<OpenedSandbox> {
    const own = this.#closing === undefined ? open() : this.#closing.then(open, open);
    this.#opening = own;
    this.#isThere = false;
    const forget = () => {
      if (this.#opening === own) this.#opening = undefined;
    };
    own.then(({ sandbox }) => {
      if (this.#opening === own) this.#isThere = true;
      return sandbox.closed.then(forget);
    }, forget);
    return own;
  }

  /** Waits for a sandbox that is being opened. Returns undefined without one, or when that fails. */
  async current(): Promise<OpenedSandbox | undefined> {
    return await settled(this.#opening);
  }

  async close(): Promise<void> {
    await this.#close((sandbox) => sandbox.close());
  }

  /** Closes the sandbox; no other is opened. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.close();
  }

  /** As `end`, but leaves the sandbox to the session's next holder, where the engine can. */
  async leave(): Promise<void> {
    this.#ended = true;
    await this.#close((sandbox) => sandbox.leave?.() ?? sandbox.close());
  }

  async #close(close: Close): Promise<void> {
    const closing = closed(this.#opening, this.#closing, close);
    this.#opening = undefined;
    this.#closing = closing;
    await closing;
    if (this.#closing === closing) this.#closing = undefined;
  }
}

type Close = (sandbox: OpenedSandbox["sandbox"]) => Promise<void>;

async function closed(
  sandbox: Promise<OpenedSandbox> | undefined,
  others: Promise<void> | undefined,
  close: Close,
): Promise<void> {
  await Promise.all([settled(sandbox).then((opened) => opened && close(opened.sandbox)), others]);
}

async function settled<T>(promise: Promise<T> | undefined): Promise<T | undefined> {
  return await promise?.catch(() => undefined);
}
