import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog } from "./log.ts";
import { createRedactor } from "./redactor.ts";

const SECRET = 'ghp_"quoted"/canary';

function logOf(redactor = createRedactor()) {
  const lines: string[] = [];
  return { redactor, lines, log: createLog("info", redactor, (line) => lines.push(line)) };
}

test("log: a known secret in any text from outside and in any encoding → removed", () => {
  const { redactor, lines, log } = logOf();
  redactor.add(SECRET);
  const cause = new Error(`https://x/${encodeURIComponent(SECRET)}`);
  log.info({ err: new Error(`git said: ${SECRET}`, { cause }) }, "a clone failed");
  log.warn({ err: Object.assign(new Error("no"), { detail: [SECRET], [SECRET]: 1 }) }, "a query failed");
  log.error({ reason: `as JSON: ${JSON.stringify(SECRET)}`, why: { error: cause } }, "no sign-in");
  log.info({ postgres: Buffer.from(SECRET).toString("base64") }, "postgres");
  log.info({ outside: `egress: ${SECRET} is no host` });
  assert.equal(lines.length, 5);
  for (const line of lines) assert.doesNotMatch(line, /canary|quoted|Y2FuYXJ5/);
  assert.equal(JSON.parse(lines[0] ?? "").err.message, "git said: [redacted]: https://x/[redacted]");
  assert.equal(JSON.parse(lines[4] ?? "").msg, "egress: [redacted] is no host");
});

test("log: secrets that somebody chose as parts of lines → no field, address or word of a line changes", () => {
  const { redactor, lines, log } = logOf();
  const fields = {
    request_id: "req-of-another-user-0001",
    status: 401,
    client: "2001:db8:85a3::8a2e:370:7334",
  };
  log.info(fields, "request ended");
  const [expected = ""] = lines;
  for (const chosen of [`"status":401`, fields.client, "203.0.113.77", "request ended", fields.request_id])
    redactor.add(chosen);
  for (let at = 0; at < expected.length - 20; at += 7) redactor.add(expected.slice(at, at + 20));
  log.info(fields, "request ended");
  const bare = (line = "") => ({ ...JSON.parse(line), time: "" });
  assert.deepEqual(bare(lines[1]), bare(expected));
});

test("log: secrets that can be guessed hide nothing, not even in text from outside", () => {
  const { redactor, lines, log } = logOf();
  for (const chosen of ["refused", "127.0.0.1:5432", "password", "84620193", "at async"])
    redactor.add(chosen);
  const message = "connect refused 127.0.0.1:5432, password of 84620193";
  log.info({ err: new Error(message) }, "no connection");
  assert.equal(JSON.parse(lines[0] ?? "").err.message, message);
  assert.match(JSON.parse(lines[0] ?? "").err.stack, /\n {4}at /);
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
  const secret = (index: number) => `secret-of-user-${index}-abcdefgh`;
  for (let i = 0; i <= 1_000; i++) redactor.add(secret(i));
  assert.equal(redactor.redact(`${secret(0)} ${secret(1_000)}`), `${secret(0)} [redacted]`);
});

test("add: long secrets over the size limit → the longest are evicted, the others stay", () => {
  const redactor = createRedactor();
  redactor.add("token-of-somebody");
  const before = process.memoryUsage.rss();
  const long = (index: number) => `${index}`.padEnd(32_768, "an ünusual one, ");
  for (let i = 0; i < 900; i++) redactor.add(long(i));
  const megabytes = (process.memoryUsage.rss() - before) / 1_048_576;
  assert.ok(megabytes < 300, `${megabytes} MiB`);
  assert.equal(redactor.redact("token-of-somebody"), "[redacted]");
  assert.equal(redactor.redact(long(899)), "[redacted]", "those that have room are known");
});
