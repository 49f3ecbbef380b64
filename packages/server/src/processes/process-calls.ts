import type { SendHandle } from "node:child_process";

/** What one process can ask another: by name, what is given and what is answered. Both are copied. */
export type Calls = Record<string, (given: never) => unknown>;
export type Given<C extends Calls, Name extends keyof C> = Parameters<C[Name]>[0];
export type Answer<C extends Calls, Name extends keyof C> = ReturnType<C[Name]>;

/** A handle that was sent with a call, such as that of a listening server, is the second argument. */
export type Handlers<Own extends Calls> = {
  [Name in keyof Own]: (
    given: Given<Own, Name>,
    handle?: SendHandle,
  ) => Answer<Own, Name> | Promise<Answer<Own, Name>>;
};

/** An end of the channel that Node opens between a process and its child: the child, or in it `process`. */
export interface Channel {
  on(event: "message", listener: (message: unknown, handle: unknown) => void): unknown;
  send?(
    message: object,
    handle?: SendHandle,
    options?: object,
    sent?: (error: Error | null) => void,
  ): unknown;
}

/** The id of a call whose answer nobody waits for. */
const UNANSWERED = 0;

type Call = { type: "call"; id: number; name: string; given: unknown };
type Settled =
  | { type: "answer"; id: number; answer: unknown }
  | { type: "failure"; id: number; message: string };

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

type AnyHandlers = Record<string, (given: never, handle?: SendHandle) => unknown>;

/** Calls between a process and its child, in both directions. */
export class ProcessCalls<Theirs extends Calls> {
  readonly #channel: Channel;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #isFull = false;

  /** @param own answers what the other process calls. */
  constructor(channel: Channel, own: AnyHandlers) {
    this.#channel = channel;
    channel.on("message", (message, handle) => {
      const received = message as Call | Settled;
      if (received.type === "call") void this.#answer(received, own, handle as SendHandle | undefined);
      else this.#settle(received);
    });
  }

  /** Rejects with the message of the other process's error, or when that process has exited. */
  async call<Name extends keyof Theirs & string>(
    name: Name,
    given: Given<Theirs, Name>,
    handle?: SendHandle,
  ): Promise<Answer<Theirs, Name>> {
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { resolve, reject });
    this.#send({ type: "call", id, name, given }, handle);
    return (await promise) as Answer<Theirs, Name>;
  }

  /** Calls without waiting for an answer. Dropped while the other process does not read what it was sent. */
  tell<Name extends keyof Theirs & string>(name: Name, given: Given<Theirs, Name>): void {
    if (this.#isFull) return;
    const sent = () => {
      this.#isFull = false;
    };
    this.#isFull =
      this.#channel.send?.({ type: "call", id: UNANSWERED, name, given }, undefined, undefined, sent) ===
      false;
  }

  /** Whatever the other process was asked rejects with this message. */
  end(message: string): void {
    for (const { reject } of this.#waiting.values()) reject(new Error(message));
    this.#waiting.clear();
  }

  async #answer({ id, name, given }: Call, own: AnyHandlers, handle?: SendHandle): Promise<void> {
    try {
      const handler = own[name];
      if (handler === undefined) throw new Error(`There is no call '${name}'.`);
      const answer = await handler(given as never, handle);
      if (id !== UNANSWERED) this.#send({ type: "answer", id, answer });
    } catch (error) {
      this.#send({ type: "failure", id, message: (error as Error).message });
    }
  }

  #settle(settled: Settled): void {
    const waiting = this.#waiting.get(settled.id);
    this.#waiting.delete(settled.id);
    if (settled.type === "answer") waiting?.resolve(settled.answer);
    else waiting?.reject(new Error(settled.message));
  }

  /** What cannot be sent is dropped: the other process has exited, and `end` follows. */
  #send(message: Call | Settled, handle?: SendHandle): void {
    this.#channel.send?.(message, handle, undefined, () => undefined);
  }
}
