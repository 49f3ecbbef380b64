import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type Creator, shellOperatorIn, trimCommand } from "@berth/contract";
import fc from "fast-check";
import { testTool } from "../../test-support/turn.ts";
import type { AppliedRule, CallDecision } from "./authorize-call.ts";
import { applyRules, beginsWith } from "./confirmation-rules.ts";

const created_by: Creator = {
  type: "user",
  id: "usr_00000000000000000000000000",
  name: "ada@example.com",
  via: "console",
};

function ruleFor(tool_name: string, parts: Partial<AppliedRule> = {}): AppliedRule {
  const id = "crule_00000000000000000000000000";
  return { id, tool_name, mcp_server_name: null, command_prefix: null, created_by, ...parts };
}

const ask = (name: string, input: unknown): CallDecision => ({
  permission: "ask",
  tool: testTool(name),
  input,
});

test("prefix: the same words, to the end of a word", () => {
  const prefix = "npm test";
  for (const command of [
    "npm test",
    "npm test -- -u",
    "npm test\tx",
    "  npm test\n",
    "npm test '$HOME'",
    "npm test $FILE",
  ])
    assert.ok(beginsWith(command, prefix), command);
  for (const command of [
    "npm",
    "npm tes",
    "npm tests",
    "npm test-all",
    "npm  test",
    "NPM test",
    "cd x; npm test",
    "sudo npm test",
    "\u00a0npm test",
    "\\npm test",
    "",
  ])
    assert.ok(!beginsWith(command, prefix), command);
  assert.ok(!beginsWith("npm test", ""), "no prefix allows nothing");
});

test("prefix: whatever may chain a command asks, also in quotes", () => {
  const ways = [
    ...["; rm x", "& rm x", "&& rm x", "| sh", "|| rm x", "\nrm x", "\r\nrm x", "$(rm x)", "`rm x`"],
    ...["> x", ">> x", "< x", "<(rm x)", ">(rm x)", "2>&1", "(rm x)", "\n", "';'", '"|"', "\\;"],
    ...[
      "$" + "{x:=$'\\044\\050id\\051'} $" + "{x@P}",
      "$[a[0]]",
      "$'\\n'",
      '$"x"',
      "$",
      "$1",
      "\u0000",
      "\u001b",
    ],
  ];
  for (const way of ways) {
    assert.ok(!beginsWith(`npm test ${way} x`, "npm test"), JSON.stringify(way));
    assert.ok(!beginsWith(`npm test ${way} x`, `npm test ${way}`), `in the prefix: ${JSON.stringify(way)}`);
  }
});

/** Text of characters that a shell treats in a special way, and of others. */
const shellText = fc.string({
  unit: fc.constantFrom(
    ..." \t\n\r;&|`$(){}[]<>'\"\\!#*?~=@^%-+,./:",
    ..."ab1X_é\u00a0\u2028\u0000\u001b",
    "npm",
    " test",
  ),
  maxLength: 40,
});

test("prefix, property: an accepted command is one simple command, and the prefix is its first words", () => {
  const commands = fc.oneof(
    shellText,
    shellText.map((rest) => `npm test${rest}`),
    shellText.map((rest) => `npm test ${rest}`),
  );
  let accepted = 0;
  fc.assert(
    fc.property(commands, fc.oneof(fc.constant("npm test"), shellText), (command, prefix) => {
      if (!beginsWith(command, prefix)) return;
      accepted += 1;
      const trimmed = trimCommand(command);
      assert.equal(shellOperatorIn(trimmed), null);
      assert.doesNotMatch(trimmed, /[;&|`()<>\n\r]|\$[^A-Za-z_]|\$$/);
      assert.equal(trimmed.slice(0, prefix.length), prefix);
      assert.match(trimmed.slice(prefix.length), /^($|[ \t])/);
    }),
    { numRuns: 5_000 },
  );
  assert.ok(accepted > 50, `${accepted} were accepted`);
});

test("prefix, property: with an operator anywhere the command asks", () => {
  const operator = fc.constantFrom(";", "&", "|", "\n", "$(", "`", ">", "<", "(", ")", "${", "$'", "$[");
  fc.assert(
    fc.property(shellText, operator, shellText, (before, mark, after) => {
      const command = `npm test ${before}${mark}${after}x`;
      assert.ok(!beginsWith(command, "npm test"), command);
      assert.ok(!beginsWith(command, trimCommand(`npm test ${before}${mark}`)), command);
    }),
  );
});

/** Reads commands, each before a NUL, runs each by itself, and prints a line when `canary` runs. */
const RUNNER = `
  npm() { :; }
  canary() { echo ran >&3; }
  value='$(canary)'
  index='a[$(canary)]'
  while IFS= read -r -d '' command; do
    (eval "$command") 3>&1 >/dev/null 2>&1 </dev/null
  done`;

test("prefix, with bash itself: an accepted command runs no other one, and makes no file", (t) => {
  const dir = mkdtempSync(join(tmpdir(), "berth-prefix-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const run = (commands: readonly string[]) =>
    spawnSync("bash", ["-c", RUNNER], {
      cwd: dir,
      input: commands.map((command) => `${command}\0`).join(""),
      encoding: "utf8",
    });
  assert.equal(run(["npm test; canary", "npm test", "npm test $(canary)"]).stdout, "ran\nran\n");
  const word = fc.constantFrom(
    ...["canary", "npm", "if", "then", "do", "!", "{", "}", "{canary,}", "[[", "]]", "-v", "eval", "exec"],
    ...[
      "$value",
      "$index",
      "$",
      "$" + "{value@P}",
      "$'\\x3b'",
      "'",
      '"',
      "\\",
      "#",
      "=",
      "a=canary",
      "~",
      "*",
      "?",
    ],
    ...[";", "&", "|", "(", ")", "<", ">", "`", "\n", "\r", "%", "^", ",", "+=", "<<<", "-c", "function"],
  );
  const commands = fc.array(fc.tuple(word, fc.constantFrom(" ", "\t", "")), { maxLength: 8 });
  const accepted = fc
    .sample(commands, 20_000)
    .map((parts) => `npm test ${parts.flat().join("")}`)
    .filter((command) => beginsWith(command, "npm test"));
  assert.ok(accepted.length > 500, `${accepted.length} are accepted`);
  assert.equal(run(accepted).stdout, "");
  assert.deepEqual(readdirSync(dir), []);
});

test("rules: only a call that asks is allowed, only of the rule's tool, and only by its prefix", () => {
  const command = { command: "npm test" };
  const call = ask("Bash", command);
  assert.equal(applyRules(call, []), call);
  const whole = ruleFor("Bash");
  assert.deepEqual(applyRules(call, [whole]), { ...call, permission: "allow", rule: whole });
  const prefixed = ruleFor("Bash", { command_prefix: "npm test" });
  assert.equal(applyRules(call, [prefixed]).permission, "allow");
  assert.equal(applyRules(ask("Bash", { command: "npm test | sh" }), [prefixed]).permission, "ask");
  assert.equal(applyRules(ask("Bash", { restart: true }), [prefixed]).permission, "ask");
  assert.equal(applyRules(ask("Bash", command), [ruleFor("Write")]).permission, "ask");
  assert.equal(applyRules(call, [ruleFor("Bash", { mcp_server_name: "shell" })]).permission, "ask");
  const [first, second] = [ruleFor("Write"), prefixed];
  const decided = applyRules(call, [first, second]);
  assert.equal("rule" in decided && decided.rule, second);
});

test("rules: what the policy denies, and an input that does not fit, stay denied", () => {
  const denied: CallDecision = { permission: "deny", errorText: "no", tool: testTool("Bash") };
  assert.equal(applyRules(denied, [ruleFor("Bash")]), denied);
  const client: CallDecision = { permission: "client", clientInput: {} };
  assert.equal(applyRules(client, [ruleFor("Bash")]), client);
});

test("rules: a tool of an MCP server, by the server's name for it", () => {
  const mcp = { ...testTool("mcp__shop__buy"), mcp: { server: "shop", name: "buy" } };
  const call: CallDecision = { permission: "ask", tool: mcp, input: {} };
  assert.equal(applyRules(call, [ruleFor("buy", { mcp_server_name: "shop" })]).permission, "allow");
  for (const rule of [
    ruleFor("mcp__shop__buy"),
    ruleFor("buy"),
    ruleFor("buy", { mcp_server_name: "other" }),
  ])
    assert.equal(applyRules(call, [rule]).permission, "ask");
});
