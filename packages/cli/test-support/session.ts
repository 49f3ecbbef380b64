import type { SessionEvent, SessionResource } from "@berth/sdk";

/** Events of a session in the form of the API, for tests of the output. */

const start = Date.parse("2026-11-21T10:00:00.000Z");

type Given = SessionEvent extends infer Event
  ? Event extends SessionEvent
    ? Omit<Event, "id" | "created_at" | "processed_at">
    : never
  : never;

/** Returns stored events, one second apart, with ids `evt_0`, `evt_1` …; a string is a user's message. */
export function logOf(...given: (Given | string)[]): SessionEvent[] {
  return given.map((event, i) => {
    const created_at = new Date(start + i * 1000).toISOString();
    const body =
      typeof event === "string"
        ? { type: "user.message" as const, content: [{ type: "text" as const, text: event }] }
        : event;
    return { id: `evt_${i}`, created_at, processed_at: created_at, ...body };
  });
}

export const repository: SessionResource = {
  id: "sesr_1",
  type: "hosted_repository",
  url: "https://git.example.com/acme/shop",
  mount_path: "/data/shop",
  checkout: null,
  connection_id: null,
  access: null,
  environment: null,
  error: null,
  created_at: new Date(start).toISOString(),
  updated_at: new Date(start).toISOString(),
};

export function says(text: string): Given {
  return { type: "agent.message", content: [{ type: "text", text }] };
}

export function calls(name: string, input: Record<string, unknown>): Given {
  return { type: "agent.tool_use", name, input, evaluated_permission: "allow" };
}

/** Returns the result of the call at that index of the log. */
export function returns(place: number, text: string, is_error = false): Given {
  const content = text === "" ? [] : [{ type: "text" as const, text }];
  return { type: "agent.tool_result", tool_use_id: `evt_${place}`, content, is_error };
}

export function usage(
  place: number,
  input_tokens: number,
  output_tokens: number,
  cache_read_input_tokens = 0,
): Given {
  const model_usage = {
    input_tokens,
    output_tokens,
    cache_read_input_tokens,
    cache_creation_input_tokens: 0,
  };
  return {
    type: "span.model_request_end",
    model_request_start_id: `evt_${place}`,
    is_error: false,
    model_usage,
  };
}

/** Returns a whole turn: a clone, tool calls and messages. */
export function turn(): SessionEvent[] {
  return logOf(
    "Fix the failing test in payments, then push a branch.",
    { type: "session.status_running" },
    { type: "session.container_started", seconds: 0.412 },
    { type: "session.resource_progress", resource_id: "sesr_1", phase: "counting", percent: null },
    { type: "span.model_request_start", model: "rehearsal/steps" },
    { type: "session.resource_progress", resource_id: "sesr_1", phase: "receiving", percent: 43 },
    {
      type: "session.resource_ready",
      resource_id: "sesr_1",
      seconds: 2.13,
      commit: "1a2b3c4d5e6f708192a3b4c5d6e7f80912a3b4c5",
    },
    usage(4, 1200, 80),
    says("I'll run the tests first, to see what fails."),
    calls("Bash", { command: "npm test -- payments\necho done" }),
    returns(
      9,
      [
        "> shop@1.0.0 test",
        "> vitest payments",
        "",
        "✓ 42 passing",
        "✗ 1 failing",
        ...Array.from({ length: 18 }, (_, i) => `  at line ${i}`),
      ].join("\n"),
      true,
    ),
    calls("Edit", { file_path: "/data/shop/src/pay.ts", old_string: "a", new_string: "b" }),
    calls("Grep", { pattern: "roundHalf", path: "/data/shop/src" }),
    returns(11, "Replaced 1 occurrence."),
    returns(12, "src/pay.ts:3:roundHalf\nsrc/tax.ts:9:roundHalf"),
    { type: "session.egress_denied", host: "telemetry.example.com", port: 443, reason: "not_allowed" },
    calls("Bash", { command: "git push origin fix-rounding" }),
    returns(16, ""),
    usage(4, 300, 240, 1200),
    says(
      "The rounding was done twice. I removed one of them and pushed `fix-rounding`.\n\nAll 43 tests pass.",
    ),
    { type: "session.status_idle", stop_reason: { type: "end_turn" } },
  );
}
