import assert from "node:assert/strict";
import { test } from "node:test";
import { type Creator, type EventOf, formatId, newUuid } from "@berth/contract";
import { MemoryLog } from "../../test-support/memory-log.ts";
import { says, scriptedModel, toolCall } from "../../test-support/scripted-model.ts";
import { testAgent, testTool, testTurn } from "../../test-support/turn.ts";
import type { AppliedRule } from "../calls/authorize-call.ts";
import { isToolUse } from "../history/call-events.ts";
import { foldHistory } from "../history/fold-history.ts";
import * as notes from "../prompts/notes.ts";
import { type Tool, textResult } from "../tools/tool.ts";
import { runTurn } from "./run-turn.ts";

const created_by: Creator = {
  type: "user",
  id: formatId("user", newUuid()),
  name: "ada@example.com",
  via: "personal_access_token",
};

function rule(tool_name: string): AppliedRule {
  return {
    id: formatId("confirmation_rule", newUuid()),
    ...{ tool_name, mcp_server_name: null, command_prefix: null, created_by },
  };
}

const uses = (log: MemoryLog) => log.events.filter(isToolUse) as EventOf<"agent.tool_use">[];

function started(): MemoryLog {
  const log = new MemoryLog();
  log.message("go");
  return log;
}

test("a rule allows a call without asking, and its event has the rule and its maker; another tool asks", async () => {
  const log = started();
  const ran: string[] = [];
  const tool = (name: string): Tool => ({
    ...testTool(name, (text) => {
      ran.push(text);
      return textResult(text);
    }),
    permission: "always_ask",
  });
  const allowed = rule("One");
  const end = await runTurn(
    testTurn({
      log,
      model: scriptedModel([{ blocks: [toolCall("One", { text: "a" }), toolCall("Two", { text: "b" })] }]),
      tools: [tool("One"), tool("Two")],
      confirmationRules: async () => [allowed],
    }),
  );
  const [one, two] = uses(log);
  assert.deepEqual(end, { type: "requires_action", event_ids: [two?.id] });
  assert.deepEqual(ran, ["a"]);
  const { id } = allowed;
  assert.deepEqual(
    [one?.evaluated_permission, one?.confirmation_rule],
    ["allow", { id, command_prefix: null, created_by }],
  );
  assert.ok(two !== undefined && two.evaluated_permission === "ask" && !("confirmation_rule" in two));
});

test("a rule for a tool that the agent's policy denies allows nothing", async () => {
  const log = started();
  const denied: Tool = { ...testTool("One"), permission: "always_deny" };
  let reads = 0;
  await runTurn(
    testTurn({
      log,
      model: scriptedModel([{ blocks: [toolCall("One", { text: "a" })] }, says("done")]),
      tools: [denied],
      confirmationRules: async () => {
        reads += 1;
        return [rule("One")];
      },
    }),
  );
  assert.equal(uses(log)[0]?.evaluated_permission, "deny");
  assert.equal(reads, 0, "rules are read only when a call would ask");
});

test("rules are read for each response: one that was revoked allows no later call", async () => {
  const log = started();
  const ask: Tool = { ...testTool("One"), permission: "always_ask" };
  const rules = [[rule("One")], []];
  const end = await runTurn(
    testTurn({
      log,
      model: scriptedModel([
        { blocks: [toolCall("One", { text: "a" })] },
        { blocks: [toolCall("One", { text: "b" })] },
      ]),
      tools: [ask],
      confirmationRules: async () => rules.shift() ?? [],
    }),
  );
  assert.equal(end.type, "requires_action");
  assert.deepEqual(
    uses(log).map(({ evaluated_permission }) => evaluated_permission),
    ["allow", "ask"],
  );
});

class Crash extends Error {}

test("crash at any step of a call that a rule allows: it runs once or is marked as interrupted, and the log says which rule", async (t) => {
  let steps = 0;
  let interrupted = 0;
  for (let dieAt = 1; ; dieAt++) {
    const log = started();
    let effects = 0;
    steps = 0;
    const step = () => {
      steps += 1;
      if (steps === dieAt) throw new Crash();
    };
    const allowed = rule("One");
    const run = () => {
      log.onAppend = step;
      const tool: Tool = {
        ...testTool("One", () => {
          step();
          effects += 1;
          step();
          return textResult("ran");
        }),
        permission: "always_ask",
      };
      return runTurn(
        testTurn({
          log,
          agent: testAgent,
          tools: [tool],
          model: scriptedModel(({ messages }) =>
            messages.some(({ role }) => role === "tool")
              ? says("done")
              : { blocks: [toolCall("One", { text: "a" })] },
          ),
          confirmationRules: async () => {
            step();
            return [allowed];
          },
        }),
      ).catch((error: unknown) => {
        if (error instanceof Crash) return null;
        throw error;
      });
    };
    const first = await run();
    // A tool's own failure is its result, so only the loop's steps end a process.
    const end = first ?? (await run());
    assert.deepEqual(end, { type: "end_turn" }, `died at ${dieAt}`);
    assert.ok(effects <= 1, `${effects} runs after a death at ${dieAt}`);
    const calls = uses(log);
    assert.equal(calls.length, 1, `died at ${dieAt}`);
    assert.equal(calls[0]?.confirmation_rule?.id, allowed.id, `died at ${dieAt}`);
    assert.deepEqual(foldHistory(log.entries).openCalls, []);
    if (JSON.stringify(log.events).includes(JSON.stringify(notes.INTERRUPTED_CALL).slice(1, -1)))
      interrupted += 1;
    if (first !== null && steps < dieAt) break;
  }
  assert.ok(steps > 6, `${steps} steps`);
  assert.ok(interrupted > 0, "some deaths leave the call with an unknown outcome");
  t.diagnostic(`${steps} crash points, ${interrupted} of them left an interrupted call`);
});
