import type { NewEvent } from "@berth/contract";
import fc from "fast-check";
import { callKind, isToolUse, toolResultEvent } from "../src/history/call-events.ts";
import type { Draft } from "../src/history/log-entry.ts";
import { MemoryLog } from "./memory-log.ts";

/** A log in which each part that a model is sent has a unique mark. */
export interface MarkedLog {
  log: MemoryLog;
  marks: readonly string[];
}

type Step = { kind: (typeof KINDS)[number]; media: boolean; calls: number; size: number };

const KINDS = [
  "message",
  "response",
  "response",
  "operator",
  "interrupt",
  "mcp error",
  "reclaim",
  "compaction",
] as const;
const CALLED = ["Echo", "mcp__notes__find", "ask_user"] as const;

/** Logs of sessions that wait for a message: every call has its result. */
export const markedLog: fc.Arbitrary<MarkedLog> = fc
  .array(
    fc.record({
      kind: fc.constantFrom(...KINDS),
      media: fc.boolean(),
      calls: fc.nat(3),
      size: fc.integer({ min: 1, max: 60 }),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((steps) => {
    const maker = new LogMaker();
    maker.play({ kind: "message", media: false, calls: 0, size: 3 });
    for (const step of steps) maker.play(step);
    return { log: maker.log, marks: maker.marks };
  });

class LogMaker {
  readonly log = new MemoryLog();
  readonly marks: string[] = [];

  play({ kind, media, calls, size }: Step): void {
    if (kind === "message") this.#message(media, size);
    else if (kind === "response") this.#response(media, calls, size);
    else if (kind === "operator")
      this.log.send({ type: "system.message", content: [{ type: "text", text: this.#text(size) }] });
    else if (kind === "interrupt") this.log.send({ type: "user.interrupt" });
    else if (kind === "mcp error") this.#store({ event: mcpError(this.#text(1)) });
    else if (kind === "reclaim")
      this.#store({ event: { type: "session.container_reclaimed", reason: "inactivity" } });
    else
      this.#store({
        event: { type: "agent.context_compacted", input_tokens_before: 2, input_tokens_after: 1 },
        memo: {
          text: this.#text(size),
          kept: this.#text(1),
          messages: [this.#text(1)],
          results: this.#text(1),
        },
      });
  }

  #store(...drafts: Draft[]) {
    return this.log.store(drafts);
  }

  #mark(): string {
    const mark = `mark${this.marks.length}x`;
    this.marks.push(mark);
    return mark;
  }

  #text(size: number): string {
    return `${this.#mark()} ${"and much more to say about it ".repeat(size)}`;
  }

  /** A mark is valid base64 itself. */
  #data(): string {
    return `${this.#mark().padEnd(12, "A")}`;
  }

  #message(media: boolean, size: number): void {
    const text = { type: "text" as const, text: this.#text(size) };
    const source = (media_type: string) => ({ type: "base64" as const, media_type, data: this.#data() });
    const content = media
      ? [
          text,
          { type: "image", source: source("image/png") },
          { type: "document", source: source("application/pdf") },
        ]
      : [text];
    this.log.send({ type: "user.message", content } as NewEvent);
  }

  #response(media: boolean, calls: number, size: number): void {
    const [start] = this.#store({ event: { type: "span.model_request_start", model: "m/m" } });
    const input = () => ({ text: this.#text(1) });
    const told = Array.from({ length: calls }, (_, index): Draft => {
      const name = CALLED[index] ?? "Echo";
      const memo = { call_id: `call_${start?.seq}_${index}`, tool_name: name };
      if (name === "ask_user")
        return { event: { type: "agent.custom_tool_use", name, input: input() }, memo };
      if (name === "Echo")
        return {
          event: { type: "agent.tool_use", name, input: input(), evaluated_permission: "allow" },
          memo,
        };
      const mcp = { mcp_server_name: "notes", name: "find", evaluated_permission: "allow" as const };
      return { event: { type: "agent.mcp_tool_use", ...mcp, input: input() }, memo };
    });
    const entries = this.#store(
      { event: { type: "agent.message", content: [{ type: "text", text: this.#text(size) }] } },
      ...told,
      {
        event: {
          type: "span.model_request_end",
          model_request_start_id: start?.event.id ?? "",
          is_error: false,
          model_usage: null,
        },
      },
    );
    for (const { event } of entries) {
      if (!isToolUse(event)) continue;
      const image = {
        type: "image" as const,
        source: { type: "base64" as const, media_type: "image/png", data: this.#data() },
      };
      const text = { type: "text" as const, text: this.#text(size) };
      const result = { content: media ? [text, image] : [text], is_error: false };
      if (event.type === "agent.custom_tool_use")
        this.log.send({ type: "user.custom_tool_result", custom_tool_use_id: event.id, ...result });
      else this.#store(toolResultEvent({ eventId: event.id, kind: callKind(event) }, result));
    }
  }
}

function mcpError(message: string): NewEvent {
  const error = { type: "mcp_connection_failed_error" as const, message, mcp_server_name: "notes" };
  return { type: "session.error", error: { ...error, retry_status: { type: "retrying" } } };
}
