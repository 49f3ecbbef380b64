import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog } from "./log.ts";
import { createRedactor } from "./redactor.ts";

test("redact: a known secret in any position and encoding → removed", () => {
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

test("redact: base64 with a secret at any offset → masked", () => {
  const secret = "ghp_Zk3canaryQ9wLxV7";
  const redactor = createRedactor();
  redactor.add(secret);
  for (const text of ["", "x", "xy", "x-access-token:", "Basic: abc "].map(
    (before) => `${before}${secret}\n`,
  )) {
    for (const encoding of ["base64", "base64url", "hex"] as const) {
      const encoded = Buffer.from(text).toString(encoding);
      const masked = redactor.redact(encoded);
      assert.match(masked, /\[redacted\]/, encoded);
      const [before = "", after = ""] = masked.split("[redacted]");
      assert.ok(encoded.length - before.length - after.length >= secret.length);
    }
  }
});

test("add: more than a thousand secrets → the oldest is evicted", () => {
  const redactor = createRedactor();
  for (let i = 0; i <= 1_000; i++) redactor.add(`secret-${i}-end`);
  assert.equal(redactor.redact("secret-0-end secret-1000-end"), "secret-0-end [redacted]");
});

test("add: long secrets over the size limit → the longest are evicted, the others stay", () => {
  const redactor = createRedactor();
  redactor.add("token-of-somebody");
  const before = process.memoryUsage.rss();
  for (let i = 0; i < 900; i++) redactor.add(`${i}`.padEnd(32_768, "ü"));
  const megabytes = (process.memoryUsage.rss() - before) / 1_048_576;
  assert.ok(megabytes < 300, `${megabytes} MiB`);
  assert.equal(redactor.redact("token-of-somebody"), "[redacted]");
  assert.equal(redactor.redact("899".padEnd(32_768, "ü")), "[redacted]", "those that have room are known");
});
