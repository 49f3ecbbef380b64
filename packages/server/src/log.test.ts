import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog, createRedactor } from "./log.ts";

test("a known secret is in no line, wherever it stands and however it is written", () => {
  const redactor = createRedactor();
  const lines: string[] = [];
  const log = createLog("info", redactor, (line) => lines.push(line));
  redactor.add('ghp_"quoted"/canary');
  redactor.add("short");
  log.info({ err: new Error('git said: ghp_"quoted"/canary') }, 'for ghp_"quoted"/canary');
  log.info({ url: `https://x/${encodeURIComponent('ghp_"quoted"/canary')}` }, "short");
  assert.equal(lines.length, 2);
  assert.ok(lines.every((line) => !line.includes("canary")));
  assert.match(lines[1] ?? "", /"msg":"short"/);
  assert.equal(JSON.parse(lines[0] ?? "").msg, "for [redacted]");
});

test("only the newest thousand secrets are known", () => {
  const redactor = createRedactor();
  for (let i = 0; i <= 1_000; i++) redactor.add(`secret-${i}-end`);
  assert.equal(redactor.redact("secret-0-end secret-1000-end"), "secret-0-end [redacted]");
});
