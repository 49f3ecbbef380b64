import type { SessionEvent, SessionEventType, StreamFrame } from "@berth/sdk";
import fc from "fast-check";

type Fields = Record<string, unknown>;

const START = Date.parse("2026-11-01T10:00:00.000Z");

/** A writer of events as in a session's log: each has an id and comes a second after the previous one. */
export class LogWriter {
  readonly events: SessionEvent[] = [];

  add<Type extends SessionEventType>(type: Type, fields: Fields = {}): SessionEvent & { type: Type } {
    const index = this.events.length;
    const created_at = new Date(START + index * 1000).toISOString();
    const event = { id: `evt_${index}`, created_at, processed_at: created_at, type, ...fields };
    this.events.push(event as unknown as SessionEvent);
    return event as unknown as SessionEvent & { type: Type };
  }

  say(text: string, type: "user.message" | "agent.message" = "agent.message"): SessionEvent {
    const processed_at = type === "user.message" ? { processed_at: null } : {};
    return this.add(type, { content: [{ type: "text", text }], ...processed_at });
  }

  use(
    name: string,
    input: Fields = {},
    evaluated_permission: "allow" | "ask" | "deny" = "allow",
  ): SessionEvent {
    return this.add("agent.tool_use", { name, input, evaluated_permission });
  }

  result(tool_use_id: string, text: string, is_error = false): SessionEvent {
    return this.add("agent.tool_result", { tool_use_id, content: [{ type: "text", text }], is_error });
  }
}

export const usage = {
  input_tokens: 10,
  output_tokens: 5,
  cache_read_input_tokens: 2,
  cache_creation_input_tokens: 1,
};

/** A step of a random log. Replies name earlier events, or one that does not exist. */
const step = fc.oneof(
  fc.record({ do: fc.constant("message" as const), text: fc.string({ maxLength: 20 }) }),
  fc.record({ do: fc.constant("call" as const), ask: fc.boolean(), custom: fc.boolean() }),
  fc.record({ do: fc.constant("reply" as const), to: fc.nat({ max: 400 }), isError: fc.boolean() }),
  fc.record({ do: fc.constant("confirm" as const), to: fc.nat({ max: 400 }), allow: fc.boolean() }),
  fc.record({ do: fc.constant("request" as const), fails: fc.boolean() }),
  fc.record({
    do: fc.constant("plain" as const),
    type: fc.constantFrom<SessionEventType>(
      "agent.thinking",
      "session.status_running",
      "session.status_rescheduled",
      "user.interrupt",
      "session.status_terminated",
    ),
  }),
  fc.record({ do: fc.constant("setup" as const), which: fc.nat({ max: 2 }), ready: fc.boolean() }),
  fc.record({ do: fc.constant("denied" as const), host: fc.constantFrom("a.example", "b.example") }),
  fc.record({ do: fc.constant("loop" as const), of: fc.nat({ max: 400 }), ends: fc.boolean() }),
  fc.record({ do: fc.constant("idle" as const), asks: fc.boolean() }),
);

/** A log of random events in random order. */
export const anyLog = fc.array(step, { maxLength: 60 }).map((steps) => {
  const log = new LogWriter();
  const idAt = (index: number) => log.events[index % Math.max(1, log.events.length)]?.id ?? "evt_none";
  for (const one of steps) {
    if (one.do === "message") log.say(one.text, one.text.length % 2 === 0 ? "agent.message" : "user.message");
    else if (one.do === "call" && one.custom) log.add("agent.custom_tool_use", { name: "ask", input: {} });
    else if (one.do === "call") log.use("Bash", { command: "ls" }, one.ask ? "ask" : "allow");
    else if (one.do === "reply") log.result(idAt(one.to), "out", one.isError);
    else if (one.do === "confirm")
      log.add("user.tool_confirmation", { tool_use_id: idAt(one.to), result: one.allow ? "allow" : "deny" });
    else if (one.do === "request") {
      const { id } = log.add("span.model_request_start", { model: "m" });
      log.add("span.model_request_end", {
        model_request_start_id: id,
        is_error: one.fails,
        model_usage: one.fails ? null : usage,
      });
    } else if (one.do === "plain") log.add(one.type);
    else if (one.do === "setup" && one.ready)
      log.add("session.resource_ready", { resource_id: `sesr_${one.which}`, seconds: 1 });
    else if (one.do === "setup")
      log.add("session.resource_progress", {
        resource_id: `sesr_${one.which}`,
        phase: "receiving",
        percent: 3,
      });
    else if (one.do === "denied")
      log.add("session.egress_denied", { host: one.host, port: 443, reason: "not_allowed" });
    else if (one.do === "loop") addLoop(log, idAt(one.of), one.ends);
    else
      log.add("session.status_idle", {
        stop_reason: one.asks
          ? { type: "requires_action", event_ids: log.events.slice(-3).map(({ id }) => id) }
          : { type: "end_turn" },
      });
  }
  return log.events;
});

/** Adds events of an event's own loop, whatever that event is. */
function addLoop(log: LogWriter, parent_tool_use_id: string, ends: boolean): void {
  const of = { parent_tool_use_id };
  const { id } = log.add("span.model_request_start", { model: "m/cheap", ...of });
  const call = log.add("agent.tool_use", { name: "Read", input: {}, evaluated_permission: "allow", ...of });
  if (!ends) return;
  log.add("span.model_request_end", {
    model_request_start_id: id,
    is_error: false,
    model_usage: usage,
    ...of,
  });
  log.add("agent.tool_result", { tool_use_id: call.id, content: [], is_error: false, ...of });
}

/** Returns the preview frames with which a stream announces an event. */
export function previewsOf(event: SessionEvent): StreamFrame[] {
  if (event.type !== "agent.message") return [];
  const text = event.content.map((block) => block.text).join("");
  const start: StreamFrame = { type: "event_start", event: { type: "agent.message", id: event.id } };
  const deltas = [...text].map(
    (letter): StreamFrame => ({
      type: "event_delta",
      event_id: event.id,
      delta: { type: "content_delta", index: 0, content: { type: "text", text: letter } },
    }),
  );
  return [start, ...deltas];
}
