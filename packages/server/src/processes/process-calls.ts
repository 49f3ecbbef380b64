import type { SendHandle } from "node:child_process";

/** Calls that one process can make to another: by name, with an argument and a result. Both are copied. */
export type Calls = Record<string, (given: never) => unknown>;
export type Given<C extends Calls, Name extends keyof C> = Parameters<C[Name]>[0];
export type Answer<C extends Calls, Name extends keyof C> = ReturnType<C[Name]>;

/** Handlers of calls. The second argument is a handle sent with the call, such as a listening server. */
export type Handlers<Own extends Calls> = {
  [Name in keyof Own]: (
    given: Given<Own, Name>,
    handle?: SendHandle,
  ) => Answer<Own, Name> | Promise<Answer<Own, Name>>;
};

/** An end of the channel between a process and its child: the ChildProcess, or `process` in the child. */
export interface Channel {
  on(event: "message", listener: (message: unknown, handle: unknown) => void): unknown;
  send?(
    message: object,
    handle?: SendHandle,
    options?: object,
    sent?: (error: Error | null) => void,
  ): unknown;
}

/** Id of a call for whose result nobody waits. */
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

  /** @param own Handlers for the calls of the other process. */
  constructor(channel: Channel, own: AnyHandlers) {
    this.#channel = channel;
    channel.on("message", (message, handle) => {
      const received = message as Call | Settled;
      if (received.type === "call") void this.#answer(received, own, handle as SendHandle | undefined);
      else this.#settle(received);
    });
  }

  /** Calls the other process. Rejects with the message of its error, or when it has exited. */
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

  /** Calls without waiting for a result. Dropped while the other process does not read its messages. */
  tell<Name extends keyof Theirs & string>(name: Name, given: Given<Theirs, Name>): void {
    if (this.#isFull) return;
    const sent = () => {
      this.#isFull = false;
    };
    this.#isFull =
      this.#channel.send?.({ type: "call", id: UNANSWERED, name, given }, undefined, undefined, sent) ===
      false;
  }

  /** Rejects all pending calls with this message. */
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

  /** Sends a message. One that cannot be sent is dropped: the other process has exited, and `end` follows. */
  #send(message: Call | Settled, handle?: SendHandle): void {
    this.#channel.send?.(message, handle, undefined, () => undefined);
  }
}
