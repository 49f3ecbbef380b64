import assert from "node:assert/strict";
import { test } from "node:test";
import { isBlockedPort } from "./blocked-ports.ts";

test("isBlockedPort: each port that fetch blocks, and no other of its neighbours", async () => {
  const ports = Array.from({ length: 10_100 }, (_, port) => port + 1).filter(isBlockedPort);
  assert.equal(ports.length, 82);
  for (const port of ports) {
    const refused = await fetch(`http://127.0.0.1:${port}`).catch((error: Error) => error);
    assert.ok(refused instanceof Error && refused.cause instanceof Error);
    assert.equal(refused.cause.message, "bad port", String(port));
  }
  for (const port of [80, 443, 4180, 4189, 4191, 8080, 10_081]) assert.ok(!isBlockedPort(port), String(port));
});
