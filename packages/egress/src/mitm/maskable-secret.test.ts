import assert from "node:assert/strict";
import { randomBytes, randomInt } from "node:crypto";
import { test } from "node:test";
import { isGuessable, isMaskable } from "./maskable-secret.ts";

test("maskable: neither very short nor what everybody has", () => {
  for (const none of ["ollama", "EMPTY", "none", "sk-no-key-required", "LM-Studio", "changeme", "12345"])
    assert.ok(!isMaskable(none), none);
  for (const secret of ["123456", "hunter2", "a-real-one-0123", "ollama-Zk3canary"])
    assert.ok(isMaskable(secret), secret);
});

test("guessable: short numbers, short words and repetitions; no token of an API", () => {
  for (const secret of [
    "84620193",
    "4929123412341234".slice(0, 12),
    "hunter2",
    '"status":401',
    "203.0.113.77",
  ])
    assert.ok(isGuessable(secret), secret);
  for (const secret of ["a".repeat(60), "abc".repeat(8), "0101010101010101010101"])
    assert.ok(isGuessable(secret), secret);
  for (let round = 0; round < 500; round++) {
    assert.ok(isGuessable(`${randomInt(1e8)}`.padStart(8, "0")));
    for (const token of [randomBytes(16).toString("hex"), randomBytes(15).toString("base64url")])
      assert.ok(!isGuessable(token), token);
    assert.ok(!isGuessable(`ghp_${randomBytes(27).toString("base64url")}`));
  }
});
