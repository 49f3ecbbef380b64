import type { routes, SessionEvent } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import { followLog, type StreamFrame } from "../streaming/event-stream.ts";
import { parentCallOf } from "../streaming/parent-call.ts";
import type { CallOptions } from "../transport/options.ts";
import type { Transport } from "../transport/transport.ts";
import type { Query } from "../transport/types.ts";
import type { Methods } from "./methods.ts";
import { resource } from "./resource.ts";

type StreamQuery = Query<typeof routes.events.stream>;
type WithoutDeltas = Omit<StreamQuery, "event_deltas"> & { event_deltas?: undefined };
type WithDeltas = StreamQuery & { event_deltas: NonNullable<StreamQuery["event_deltas"]> };

export interface StreamOptions extends Omit<CallOptions, "idempotencyKey"> {
  /** Milliseconds of silence after which a connection is replaced. Default: 35,000; heartbeats: 10,000. */
  silence?: number | undefined;
  /** Called when a connection is open: the first one, and each later one. */
  onOpen?: (() => void) | undefined;
  /**
   * Called when the connection is lost, and after each failed attempt to reconnect. The next attempt begins
   * after `wait` milliseconds. The error is null if the server closed the stream normally.
   */
  onLost?: ((lost: { error: unknown; wait: number }) => void) | undefined;
}

export type Events = Methods["events"] & EventStreams;

/** Returns the methods of a session's events. */
export function events(transport: Transport): Events {
  const methods = resource(transport, "events");
  return Object.assign(new EventStreams(transport, methods), methods);
}

/** The methods that follow a log. */
class EventStreams {
  readonly #transport: Transport;
  readonly #events: Methods["events"];

  constructor(transport: Transport, events: Methods["events"]) {
    this.#transport = transport;
    this.#events = events;
  }

  /**
   * Follows the log without gaps and duplicates, and reconnects when the connection or the server fails. By
   * default it starts with the next event after you begin to iterate; with `after_id`, after that event, such
   * as one that `send` returned; with `from: "start"`, at the start of the log. Ends after
   * `session.status_terminated` or `session.deleted`, when the signal aborts, or when you leave the loop.
   *
   * With `event_deltas` it also yields `event_start` and `event_delta`, which preview events of these types
   * while the model writes them. The event follows with the same id, unless the request to the model fails.
   * Deltas are not repeated after a reconnection. With `agent.tool_output` among them it also yields the
   * output of commands while they run. Its text belongs at `offset` in the output of the call, so a piece
   * that is repeated, as after a reconnection, adds nothing.
   */
  stream(session_id: string, query: WithDeltas, options?: StreamOptions): AsyncGenerator<StreamFrame, void>;
  stream(
    session_id: string,
    query?: WithoutDeltas,
    options?: StreamOptions,
  ): AsyncGenerator<SessionEvent, void>;
  stream(
    session_id: string,
    query: WithDeltas | WithoutDeltas = {},
    { silence = 35_000, onOpen, onLost, ...options }: StreamOptions = {},
  ): AsyncGenerator<StreamFrame, void> {
    const { signal } = options;
    const beginning = query.after_id ?? (query.from === "start" ? null : undefined);
    return followLog(
      {
        open: async (after, first) => {
          const once = first ? options : { ...options, maxRetries: 0 };
          const response = await this.#open(session_id, after, query, once);
          onOpen?.();
          return response;
        },
        newest: async () =>
          (await this.#events.list(session_id, { order: "desc", limit: 1 }, options)).data[0] ?? null,
        wait: (milliseconds) => this.#transport.sleep(milliseconds, signal),
        onReconnect: (error, wait) => {
          this.#transport.warn("stream lost", { session_id, error: error && String(error), wait_ms: wait });
          onLost?.({ error, wait });
        },
        silence,
        signal,
      },
      beginning,
    );
  }

  /** Yields the same as `stream`, up to the first `session.status_idle`, which ends the turn. */
  untilIdle(
    session_id: string,
    query: WithDeltas,
    options?: StreamOptions,
  ): AsyncGenerator<StreamFrame, void>;
  untilIdle(
    session_id: string,
    query: WithoutDeltas,
    options?: StreamOptions,
  ): AsyncGenerator<SessionEvent, void>;
  async *untilIdle(
    session_id: string,
    query: WithDeltas | WithoutDeltas,
    options?: StreamOptions,
  ): AsyncGenerator<StreamFrame, void> {
    for await (const event of this.stream(session_id, query as WithDeltas, options)) {
      yield event;
      if (event.type === "session.status_idle") return;
    }
  }

  /**
   * Yields the events after an input, up to the end of the turn that processes it. If another turn was just
   * ending when the input was sent, the end of that turn comes first.
   */
  untilAnswered(
    session_id: string,
    input_id: string,
    query?: { event_deltas?: undefined },
    options?: StreamOptions,
  ): AsyncGenerator<SessionEvent, void>;
  untilAnswered(
    session_id: string,
    input_id: string,
    query: Pick<WithDeltas, "event_deltas">,
    options?: StreamOptions,
  ): AsyncGenerator<StreamFrame, void>;
  async *untilAnswered(
    session_id: string,
    input_id: string,
    query: { event_deltas?: WithDeltas["event_deltas"] | undefined } = {},
    options?: StreamOptions,
  ): AsyncGenerator<StreamFrame, void> {
    let taken = false;
    const after = { ...query, after_id: input_id } as WithDeltas;
    for await (const event of this.stream(session_id, after, options)) {
      yield event;
      taken ||=
        event.type === "session.status_running" ||
        (event.type === "span.model_request_start" && parentCallOf(event) === null);
      if (event.type !== "session.status_idle") continue;
      if (taken || (await this.#endedTurnTook(session_id, input_id, options))) return;
    }
  }

  /** Returns whether an input that came late in the newest turn was processed before the turn ended. */
  async #endedTurnTook(session_id: string, input_id: string, options?: CallOptions): Promise<boolean> {
    for await (const event of this.#events.list(session_id, { order: "desc", limit: 100 }, options)) {
      // The next turn has begun and may have taken the input, so the end of that turn decides.
      if (event.type === "session.status_running") return false;
      if (event.id === input_id) return event.processed_at !== null;
    }
    return false;
  }

  #open(
    session_id: string,
    after: string | null,
    { event_deltas }: StreamQuery,
    options: CallOptions,
  ): Promise<Response> {
    const from = after === null ? { from: "start" as const } : {};
    const query = { ...from, ...(event_deltas === undefined ? {} : { event_deltas }) };
    const call = { operation: operations.events.stream, params: { session_id }, query, ...options };
    const headers = after === null ? options.headers : { ...options.headers, "last-event-id": after };
    return this.#transport.open(
      { ...call, ...(headers === undefined ? {} : { headers }) },
      "text/event-stream",
    );
  }
}
