// Subject: how much of a result the model sees.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_TOOL_NAMES, type SessionAgent } from "@berth/contract";
import fc from "fast-check";
import { numberedLines } from "./numbered-lines.ts";
import { kibibytes, linesWithin, maxResultBytes } from "./result-form.ts";
import { toolset } from "./toolset.ts";

type Toolset = Extract<SessionAgent["tools"][number], { type: "agent_toolset_20260401" }>;

function agentWith(...configs: NonNullable<Toolset["configs"]>): Pick<SessionAgent, "tools"> {
  return { tools: [{ type: "agent_toolset_20260401", enabled_tools: [...DEFAULT_TOOL_NAMES], configs }] };
}

const permission_policy = { type: "always_allow" as const };
const bash = { name: "Bash" as const, enabled: true, permission_policy, max_result_bytes: 2_048 };

test("limit: the agent's, else the usual one", () => {
  const usual = (["Bash", "Read", "Grep"] as const).map((name) => maxResultBytes(agentWith(), name));
  assert.deepEqual(usual, [10_240, 24_576, 12_288]);
  assert.equal(maxResultBytes(agentWith(bash), "Bash"), 2_048);
  assert.equal(maxResultBytes(agentWith(bash), "Read"), usual[1]);
});

test("descriptions: each says the limit that the tool has", () => {
  const described = (name: string, agent: Pick<SessionAgent, "tools">) =>
    toolset(agent).find((tool) => tool.name === name)?.description ?? "";
  assert.match(described("Bash", agentWith()), /longer than 10 KiB/);
  assert.match(described("Bash", agentWith(bash)), /longer than 2 KiB/);
  assert.match(
    described("Read", agentWith({ ...bash, name: "Read", max_result_bytes: 1_500 })),
    /and 1\.5 KiB/,
  );
  assert.match(
    described("Grep", agentWith({ ...bash, name: "Grep", max_result_bytes: 100_000 })),
    /up to 97\.7 KiB/,
  );
  assert.deepEqual([1_000, 24_576, 102_400].map(kibibytes), ["1 KiB", "24 KiB", "100 KiB"]);
});

const line = fc.string({ unit: fc.constantFrom("a", "é", "😀", "\t", " ", "]"), maxLength: 90 });
const lines = fc.array(
  fc.oneof({ weight: 5, arbitrary: line }, { weight: 1, arbitrary: fc.constant("x".repeat(1_900)) }),
  {
    minLength: 1,
    maxLength: 120,
  },
);
const limit = fc.integer({ min: 1, max: 4_000 });

test("any lines, any limit: as many whole lines as fit, at least the first", () => {
  fc.assert(
    fc.property(lines, limit, (all, maxBytes) => {
      const kept = linesWithin(all, maxBytes);
      assert.deepEqual(kept, all.slice(0, kept.length));
      const bytes = (some: readonly string[]) => Buffer.byteLength(some.map((one) => `${one}\n`).join(""));
      assert.ok(kept.length === 1 || bytes(kept) <= maxBytes);
      if (kept.length < all.length) assert.ok(bytes(all.slice(0, kept.length + 1)) > maxBytes);
    }),
  );
});

test("any file, any limit: to read on where the note says gives the rest, line by line, until there is no note", () => {
  fc.assert(
    fc.property(lines, limit, fc.integer({ min: 1, max: 40 }), (all, maxBytes, count) => {
      const bytes = Buffer.from(all.map((one) => `${one}\n`).join(""));
      const seen: string[] = [];
      for (let first = 1; ; ) {
        const { content, isError } = numberedLines({ bytes, part: "whole" }, { first, count }, maxBytes);
        assert.equal(isError, false);
        const text = content[0]?.type === "text" ? content[0].text : "";
        const shown = text.split("\n");
        const [, from, last, total] =
          /^\[Lines (\d+) to (\d+) of (\d+)\. Use offset to read on\.\]$/.exec(shown.at(-1) ?? "") ?? [];
        if (last !== undefined) shown.pop();
        for (const one of shown) {
          const tab = one.indexOf("\t");
          assert.equal(Number(one.slice(0, tab)), seen.length + 1);
          seen.push(one.slice(tab + 1));
        }
        assert.ok(shown.length === 1 || Buffer.byteLength(shown.join("\n")) <= maxBytes);
        if (last === undefined) break;
        assert.deepEqual([Number(from), Number(last), Number(total)], [first, seen.length, all.length]);
        first = Number(last) + 1;
      }
      assert.deepEqual(seen, all);
    }),
  );
});
