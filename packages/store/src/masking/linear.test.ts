import assert from "node:assert/strict";
import { test } from "node:test";
import { SecretMask } from "./secret-mask.ts";

const TOKEN = "ghp_Zk3canaryQ9wLxV7mR2tYpE8sNfB5hJcU1d";
const LONG = Array.from({ length: 4_000 }, (_, index) => (index * 7_919).toString(36)).join("");

/** Texts that begin something again and again, or never end it. */
const HOSTILE: Readonly<Record<string, (length: number) => string>> = {
  "a terminal's string without an end": (length) => `\u001b]${"a".repeat(length)}`,
  "one within a secret": (length) => `ghp_\u001b]${"a".repeat(length)}`,
  "strings that begin in each word": (length) => "gh\u001b]abc ".repeat(length / 8),
  "escapes of escapes": (length) => "\\u001b\\".repeat(length / 7),
  "unfinished percent escapes": (length) => "%6".repeat(length / 2),
  "soft line breaks": (length) => "g=\n=".repeat(length / 4),
  "marks of a diff": (length) => "gh\n+".repeat(length / 4),
  "a path of many separators": (length) => `g\n${"/:-1".repeat(length / 4)}`,
  "blanks after the beginning of a secret": (length) => `g${" ".repeat(length)}`,
  "the beginning of a long secret": (length) => `${LONG.slice(0, 9_000)}\u001b]`.repeat(length / 9_000 + 1),
  "all of them": (length) => "g\u001b]%4\\u0=\n+12:".repeat(length / 14),
};

test("mask: a text eight times as long → at most three times eight times the time", () => {
  const { mask } = maskOf(TOKEN, LONG);
  for (const [name, text] of Object.entries(HOSTILE))
    assertLinear(name, 16 * 1024, (length) => mask(text(length)));
});

test("stream: eight times as many pieces of one character → at most three times eight times the time", () => {
  const mask = maskOf(TOKEN, LONG);
  for (const [name, text] of Object.entries(HOSTILE)) {
    assertLinear(name, 4 * 1024, (length) => {
      const stream = mask.stream();
      for (const character of text(length)) stream.write(character);
      stream.end();
    });
  }
});

test("stream: whatever has begun → no more is held back than the longest secret and 8 KiB", () => {
  const mask = maskOf(TOKEN);
  for (const [name, text] of Object.entries(HOSTILE)) {
    const whole = text(64 * 1024);
    const stream = mask.stream();
    const shown = stream.write(whole);
    const masked = shown.split("[redacted]").length - 1;
    assert.ok(whole.length - shown.length <= 9 * 1024 + masked * TOKEN.length, `${name}: ${shown.length}`);
  }
  const stream = mask.stream();
  assert.equal(stream.write(`a\u001b]${"b".repeat(100)}`), `a\u001b]${"b".repeat(100)}`, "nothing has begun");
});

function maskOf(...secrets: string[]): SecretMask {
  const mask = new SecretMask();
  for (const secret of secrets) mask.add(secret);
  return mask;
}

function assertLinear(name: string, length: number, work: (length: number) => void): void {
  work(length);
  const [short, long] = [leastTime(() => work(length)), leastTime(() => work(8 * length))];
  assert.ok(long <= 24 * Math.max(short, 10_000), `${name}: ${short} and ${long} µs`);
}

/**
 * Returns the least CPU time of this thread in µs. The kernel counts in steps of some milliseconds, so values
 * below ten of them are no measure.
 */
function leastTime(work: () => void): number {
  const times = [1, 2, 3].map(() => {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    return user + system;
  });
  return Math.min(...times);
}
