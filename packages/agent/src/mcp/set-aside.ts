import type { JSONRPCMessage, Transport, TransportSendOptions } from "@modelcontextprotocol/client";

/**
 * Members of a server's result that the protocol's client must not validate. It validates a result as a
 * whole: one invalid item would reject all, at a cost that the server controls. They are moved to another
 * member, and their readers validate them.
 */
const LISTS = ["tools", "content", "contents"];
const MEMBERS = [...LISTS, "structuredContent"];
const SET_ASIDE = "berth/set-aside";

/** Returns a member of a result, as the server sent it. */
export function setAside(result: object, member: string): unknown {
  const whole = (result as Record<string, unknown>)[SET_ASIDE];
  return typeof whole === "object" && whole !== null ? (whole as Record<string, unknown>)[member] : undefined;
}

/** Returns a list in the same way; empty when there is none. */
export function setAsideList(result: object, member: string): readonly unknown[] {
  const list = setAside(result, member);
  return Array.isArray(list) ? list : [];
}

/** A transport that sets aside these members in the results it receives. */
export class SetAsideTransport implements Transport {
  readonly #inner: Transport;
  onmessage: Transport["onmessage"];
  onclose: Transport["onclose"];
  onerror: Transport["onerror"];

  constructor(inner: Transport) {
    this.#inner = inner;
    inner.onmessage = (message, extra) => this.onmessage?.(withMembersAside(message), extra);
    inner.onclose = () => this.onclose?.();
    inner.onerror = (error) => this.onerror?.(error);
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  get hasPerRequestStream(): boolean {
    return this.#inner.hasPerRequestStream ?? false;
  }

  setProtocolVersion = (version: string): void => this.#inner.setProtocolVersion?.(version);

  start(): Promise<void> {
    return this.#inner.start();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    return this.#inner.send(message, options);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}

function withMembersAside<T extends JSONRPCMessage>(message: T): T {
  const { result } = message as { result?: Record<string, unknown> };
  if (result === undefined || !MEMBERS.some((member) => member in result)) return message;
  const { structuredContent: _, ...rest } = result;
  const empty = Object.fromEntries(LISTS.filter((list) => list in rest).map((list) => [list, []]));
  return { ...message, result: { ...rest, ...empty, [SET_ASIDE]: result } };
}
