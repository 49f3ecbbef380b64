import type { SendHandle } from "node:child_process";

/** What one process can ask another: by name, what is given and what is answered. Both are copied. */
export type Calls = Record<string, { given: unknown; answer: unknown }>;

/** A handle that was sent with a call, such as that of a listening server, is the second argument. */
export type Handlers<Own extends Calls> = {
  [Name in keyof Own]: (given: Own[Name]["given"], handle?: SendHandle) => Answer<Own, Name>;
};
type Answer<Own extends Calls, Name extends keyof Own> = Own[Name]["answer"] | Promise<Own[Name]["answer"]>;

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
    given: Theirs[Name]["given"],
    handle?: SendHandle,
  ): Promise<Theirs[Name]["answer"]> {
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { resolve, reject });
    this.#send({ type: "call", id, name, given }, handle);
    return await promise;
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
      this.#send({ type: "answer", id, answer: await handler(given as never, handle) });
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
