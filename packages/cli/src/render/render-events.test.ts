import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import type { EventOf, StreamFrame } from "@berth/sdk";
import { calls, logOf, repository, returns, says, turn, usage } from "../../test-support/session.ts";
import type { Output } from "../terminal/palette.ts";
import { renderEvents } from "./render-events.ts";
import { toolLine } from "./tool-line.ts";

/** Returns the output at the end. */
async function rendered(events: StreamFrame[], terminal?: { columns: number }): Promise<string> {
  let written = "";
  const output: Output = new Writable({
    write(chunk, _encoding, done) {
      written += chunk;
      done();
    },
  });
  Object.assign(output, terminal && { isTTY: true, ...terminal });
  await renderEvents(stream(events), output, { resources: [repository] });
  return written;
}

async function* stream(events: StreamFrame[]) {
  yield* events;
}

test("a whole turn", async () => {
  assert.equal(
    await rendered(turn()),
    `> Fix the failing test in payments, then push a branch.

sandbox ready · 0.4 s
cloning acme/shop → /data/shop
cloned acme/shop → /data/shop at 1a2b3c4d5e · 2.1 s

I'll run the tests first, to see what fails.

Bash  npm test -- payments …
  │ > shop@1.0.0 test
  │ > vitest payments
  │
  │ ✓ 42 passing
  │ ✗ 1 failing
  │ … 18 more lines

Edit  /data/shop/src/pay.ts
  │ Replaced 1 occurrence.

Grep  roundHalf in /data/shop/src
  │ src/pay.ts:3:roundHalf
  │ src/tax.ts:9:roundHalf

blocked telemetry.example.com: not allowed by the environment

Bash  git push origin fix-rounding
  │ (no output)

The rounding was done twice. I removed one of them and pushed \`fix-rounding\`.

All 43 tests pass.

done · 19 s · 2,700 tokens in (1,200 from cache), 320 out
`,
  );
});

test("the loop of a call: in one line, below the call and before its answer, and its tokens in the turn's", async () => {
  const parent_tool_use_id = "evt_3";
  const nested = <Event extends object>(event: Event) => ({ ...event, parent_tool_use_id });
  const log = logOf(
    "Where is the tax?",
    { type: "session.status_running" },
    { type: "span.model_request_start", model: "acme/large" },
    calls("Explore", { question: "Where is the tax computed?", path: "src" }),
    usage(2, 100, 10),
    nested({ type: "span.model_request_start", model: "acme/small" } as const),
    nested(calls("Grep", { pattern: "tax" })),
    nested(calls("Read", { file_path: "a.ts" })),
    nested(usage(5, 1_000, 20)),
    nested(returns(6, "nested result")),
    nested(returns(7, "nested result")),
    nested(says("src/tax.ts:3")),
    nested(usage(5, 2_000, 30, 500)),
    returns(3, "src/tax.ts:3"),
    { type: "session.status_idle", stop_reason: { type: "end_turn" } },
  );
  const text = `> Where is the tax?

Explore  Where is the tax computed? in src
  │ (2 calls · 3,500 tokens in (500 from cache), 50 out)
  │ src/tax.ts:3

done · 13 s · 3,600 tokens in (500 from cache), 60 out
`;
  assert.equal(await rendered(log), text);
  const live = await rendered(log, { columns: 100 });
  assert.match(live, /2 calls · 3,500 tokens in/);
  assert.doesNotMatch(live, /nested result/);
});

test("errors, interrupts and stop reasons are printed", async () => {
  const error = {
    type: "repository_authentication_error" as const,
    message: "The token was refused.",
    resource_id: "sesr_1",
  };
  const overloaded = { type: "model_overloaded_error" as const, message: "Overloaded." };
  const nextTry = new Date(2026, 10, 28, 14, 5, 9);
  const text = await rendered(
    logOf(
      { type: "session.error", error: { ...error, retry_status: { type: "terminal" } } },
      {
        type: "session.error",
        error: { ...error, message: "No clone at /data/shop.", retry_status: { type: "terminal" } },
      },
      { type: "session.error", error: { ...overloaded, retry_status: { type: "retrying" } } },
      { type: "session.status_rescheduled", retry_at: nextTry.toISOString() },
      { type: "session.status_rescheduled" },
      { type: "session.status_rescheduled", reason: "The sandbox waits for a node: 1 Insufficient cpu." },
      { type: "session.status_idle", stop_reason: { type: "retries_exhausted" } },
      { type: "user.interrupt" },
      { type: "session.status_idle", stop_reason: { type: "cancelled" } },
      { type: "session.status_terminated" },
    ),
  );
  assert.equal(
    text,
    `repository_authentication_error: The token was refused. (acme/shop → /data/shop)

repository_authentication_error: No clone at /data/shop.

model_overloaded_error: Overloaded. · retrying
retrying at 14:05:09
waiting, continues as soon as possible
The sandbox waits for a node: 1 Insufficient cpu.

gave up: the model did not respond

interrupt

interrupted

terminated
`,
  );
});

test("parallel calls: each result is below its call, in any order", async () => {
  const text = await rendered(
    logOf(
      calls("Bash", { command: "a" }),
      calls("Bash", { command: "b" }),
      returns(1, "of b"),
      returns(0, "of a"),
    ),
  );
  assert.equal(text, "Bash  b\n  │ of b\n\nBash  a\n  │ of a\n");
});

test("a sandbox with less than its environment asks for: with the limits that it has", async () => {
  const ready = { type: "session.container_started" as const, seconds: 0.2 };
  const lowered_limits = { memory_mb: 256, pids: 64 };
  assert.equal(
    await rendered(logOf({ ...ready, lowered_limits })),
    "sandbox ready · 0.2 s · at most memory_mb 256, pids 64\n",
  );
});

test("a call is printed once: with its result, or at the end without one", async () => {
  const ready = { type: "session.container_started" as const, seconds: 0.2 };
  const [one, two] = [calls("Bash", { command: "a" }), calls("Bash", { command: "b" })];
  assert.equal(
    await rendered(logOf(one, ready, returns(0, "of a"), two)),
    "sandbox ready · 0.2 s\n\nBash  a\n  │ of a\n\nBash  b\n",
  );
  const interrupted = { type: "session.status_idle" as const, stop_reason: { type: "cancelled" as const } };
  assert.equal(await rendered(logOf(one, interrupted)), "Bash  a\n\ninterrupted\n");
});

test("a call that was waiting is printed again above its result", async () => {
  const paused = {
    type: "session.status_idle" as const,
    stop_reason: { type: "requires_action" as const, event_ids: ["evt_0"] },
  };
  const allowed = { type: "user.tool_confirmation" as const, tool_use_id: "evt_0", result: "allow" as const };
  assert.equal(
    await rendered(logOf(calls("Bash", { command: "a" }), paused, allowed, returns(0, "of a"))),
    "Bash  a\n\nwaiting for you\n\nallowed\n\nBash  a\n  │ of a\n",
  );
});

test("a decision says who made it, and so does a rule; names are plain text", async () => {
  const created_by = { type: "user" as const, id: "usr_1", name: "ada\u001b[2J", via: "console" as const };
  const decided = { type: "user.tool_confirmation" as const, tool_use_id: "evt_0" };
  const rule = { confirmation_rule_id: "crule_1", tool_name: "Bash", mcp_server_name: null };
  const erased = { ...created_by, name: null };
  const by = { id: "crule_1", created_by: erased };
  const events = [
    { ...decided, result: "allow" as const, created_by },
    { ...decided, result: "deny" as const, deny_message: "No.\nNot now.", created_by: erased },
    { type: "session.confirmation_rule_added" as const, ...rule, command_prefix: "npm test", created_by },
    {
      type: "session.confirmation_rule_removed" as const,
      ...{ ...rule, tool_name: "buy", mcp_server_name: "shop", command_prefix: null, created_by: erased },
    },
    { ...calls("Bash", { command: "a" }), confirmation_rule: { ...by, command_prefix: "npm" } },
  ];
  const printed = await rendered(logOf(...(events as Parameters<typeof logOf>)));
  assert.ok(!printed.includes("\u001b"), printed);
  for (const line of [
    /^allowed by ada\S*$/m,
    /^denied by usr_1: No\. ?\S*Not now\.$/m,
    /^always allowed in this session by ada\S*: Bash: npm test …$/m,
    /^no longer always allowed by usr_1: all calls of shop: buy$/m,
    /^allowed by the rule npm … of usr_1$/m,
  ])
    assert.match(printed, line);
});

test("a terminal of unknown width has 80 columns", async () => {
  assert.match(
    await rendered(logOf(says("Hi."), calls("Bash", { command: "make" }), returns(1, "made")), {
      columns: 0,
    }),
    /make.*made/s,
  );
});

test("text of commands and models cannot control the terminal", async () => {
  const hostile =
    "\u001b]0;title\u0007\u001b[2J\u001b[31mred\u001b[0m \u009b2J\u202edrow\u0008 10%\r20%\r\n\ttab \u001b]8;;http://x";
  const events = logOf(
    hostile,
    says(hostile),
    calls(`Bash${hostile}`, { command: hostile }),
    calls("Bash", { command: hostile }),
    returns(2, hostile, true),
    returns(3, hostile),
    { type: "session.egress_denied", host: hostile, port: 1, reason: hostile },
    { type: "session.resource_ready", resource_id: hostile, seconds: 1, commit: hostile },
  );
  assert.doesNotMatch(await rendered(events), /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  assert.match(await rendered(events), /^> 20%\n {6}tab/);
});

test("on a terminal, progress is one line that is overwritten and removed at the end", async () => {
  const written = await rendered(turn(), { columns: 60 });
  assert.match(written, /cloning acme\/shop {2}━+─+ {2}receiving obj/);
  const screen = written
    .split("\n")
    .map((line) => line.split("\r\u001b[2K").at(-1))
    .join("\n");
  assert.doesNotMatch(screen, /receiving|thinking|running/);
  for (const line of written.split(/\n|\r\u001b\[2K/)) {
    const visible = line.replaceAll(/\u001b\[\d+m/g, "");
    if (/^(cloning|thinking|running)/.test(visible)) assert.ok(visible.length < 60, visible);
  }
});

test("a wait for the environment is in the status line, and is printed with its duration at the end", async () => {
  const wait = (seconds: number | null) =>
    ({ type: "session.environment_progress", phase: "apt_packages", seconds }) as const;
  const ready = { type: "session.container_started" as const, seconds: 42 };
  const waited = "waited for the environment's apt packages · 41 s\nsandbox ready · 42 s\n";
  assert.equal(
    await rendered(logOf(wait(null), wait(41.2), ready)),
    `waiting for the environment's apt packages\n${waited}`,
  );
  const written = await rendered(logOf(wait(null), wait(41.2), ready), { columns: 80 });
  assert.match(written, /waiting for the environment's apt packages · /);
  const lines = written.replaceAll(/\u001b\[\d+m/g, "").split("\n");
  const screen = lines.map((line) => line.split("\r\u001b[2K").at(-1)).join("\n");
  assert.equal(screen, waited);
  const cutOff = await rendered(logOf(wait(null), ready, says("Hi.")), { columns: 80 });
  assert.doesNotMatch(cutOff.slice(cutOff.indexOf("sandbox ready")), /waiting/);
});

type Chosen = EventOf<"session.runtimes_chosen">;

test("what a session chose from its repositories is one line, with the lines that ask for it", async () => {
  const from = { resource_id: "sesr_1", file: ".nvmrc", line: 3 };
  const chosen = (missing: Chosen["missing"], ignored: Chosen["ignored"]) => ({
    type: "session.runtimes_chosen" as const,
    runtimes: [{ runtime: "node" as const, version: "22.1.0", asked: "v22", ...from }],
    ...{ missing, ignored },
  });
  const absent = {
    runtime: "go" as const,
    asked: "1.9",
    ...from,
    file: "go.mod",
    available: ["1.24", "1.25"],
  };
  const left = { ...from, reason: "no" };
  assert.equal(await rendered(logOf(chosen([], []))), "runtimes: node 22.1.0 (.nvmrc:3)\n");
  assert.equal(
    await rendered(logOf(chosen([absent, { ...absent, available: [] }], [left, left]))),
    "runtimes: node 22.1.0 (.nvmrc:3) · go 1.9 (go.mod:3) is not available; available: 1.24, 1.25 · go 1.9 (go.mod:3) is not available · 2 lines ignored\n",
  );
  const nothing = { ...chosen([], []), runtimes: [] };
  assert.equal(await rendered(logOf(nothing)), "no repository asks for a runtime\n");
});

test("what is followed of a devcontainer.json, and what is not, is one line", async () => {
  const read = {
    ...{ type: "session.devcontainer_read" as const, resource_id: "sesr_1", error: null },
    ...{ file: ".devcontainer.json", honoured: ["features", "containerEnv"], not_honoured: [] },
    ...{ image: null, environment_variable_names: [], forward_ports: [] },
  };
  const not = ["mounts", "features", "mounts"].map((property) => ({ property, reason: "no" }));
  const lines = [
    ".devcontainer.json: features, containerEnv · not mounts",
    ".devcontainer.json: nothing · not mounts, features",
    ".devcontainer.json: image debian:13, features",
    "devcontainer.json is not followed: there is none",
  ];
  const events = [
    { ...read, not_honoured: not.slice(0, 1) },
    { ...read, honoured: [], not_honoured: not },
    { ...read, honoured: ["image", "features"], image: "debian:13" },
    { ...read, file: null, error: "there is none" },
  ];
  assert.equal(await rendered(logOf(...events)), `${lines.join("\n")}\n`);
});

test("a rehearsal's steps are summarized, not printed as JSON", async () => {
  const steps = [
    { say: "Hi." },
    { tool: "Bash", input: { command: "a" } },
    { tools: [{}, {}] },
    { wait_ms: 5 },
  ];
  const line = "> Rehearsal in 4 steps: say, Bash, 2 at once, wait\n";
  assert.equal(await rendered(logOf(JSON.stringify({ steps }))), line);
  assert.equal(await rendered(logOf(`\`\`\`json\n${JSON.stringify({ steps }, null, 2)}\n\`\`\``)), line);
  assert.equal(await rendered(logOf('{"steps": []}')), '> {"steps": []}\n');
});

test("a tool call's input is one line", () => {
  const cases: [string, Record<string, unknown>, string][] = [
    ["Bash", { command: "make\nmake test" }, "make …"],
    ["Bash", { restart: true }, "restart the shell"],
    ["Read", { file_path: "/a" }, "/a"],
    ["Read", { file_path: "/a", limit: 5 }, "/a from line 1 to 5"],
    ["Read", { file_path: "/a", offset: 10, limit: 5 }, "/a from line 10 to 14"],
    ["Read", { file_path: "/a", view_range: [3, -1] }, "/a from line 3"],
    ["Write", { file_path: "/a", content: "x\ny\n" }, "/a (2 lines)"],
    ["Edit", { file_path: "/a", replace_all: true }, "/a everywhere"],
    ["Glob", { pattern: "**/*.ts" }, "**/*.ts"],
    ["Grep", { pattern: "x", path: "/a" }, "x in /a"],
    ["Invented", { a: 1 }, '{"a":1}'],
  ];
  for (const [name, input, line] of cases) assert.equal(toolLine({ name, input }), line);
});

test("NO_COLOR turns off colours, TERM=dumb also the status line", async (t) => {
  const { NO_COLOR, TERM } = process.env;
  t.after(() => {
    Object.assign(process.env, { TERM: TERM ?? "xterm" }, NO_COLOR === undefined ? {} : { NO_COLOR });
    if (NO_COLOR === undefined) delete process.env.NO_COLOR;
  });
  process.env.TERM = "xterm";
  delete process.env.NO_COLOR;
  assert.match(await rendered(turn(), { columns: 80 }), /\u001b\[32mdone/);
  process.env.NO_COLOR = "1";
  assert.match(await rendered(turn(), { columns: 80 }), /^(?!.*\u001b\[\d+m).*\u001b\[2K/s);
  process.env.TERM = "dumb";
  assert.doesNotMatch(await rendered(turn(), { columns: 80 }), /\u001b/);
});
