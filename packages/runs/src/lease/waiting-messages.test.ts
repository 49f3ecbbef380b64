import assert from "node:assert/strict";
import { test } from "node:test";
import { WaitingMessages } from "./waiting-messages.ts";

test("WaitingMessages: the database is asked only when something may have come", async () => {
  const messages = new WaitingMessages();
  const asked: boolean[] = [];
  const any = async (stored: boolean) =>
    await messages.hasAny(async () => {
      asked.push(stored);
      return stored;
    });
  assert.equal(await any(false), false, "nothing is known at first");
  assert.equal(await any(true), false, "nothing came since");
  messages.invalidate();
  assert.equal(await any(true), true);
  assert.equal(await any(true), true, "what was found may be taken meanwhile");
  messages.set(true);
  assert.equal(await any(false), true, "only the turn takes what a look before it found");
  messages.invalidate();
  assert.equal(await any(false), true);
  messages.clear();
  assert.equal(await any(true), false);
  messages.set(false);
  assert.equal(await any(true), true, "a message may have come since that look");
  assert.deepEqual(asked, [false, true, true, true]);
});

test("WaitingMessages: what comes while the database is asked is asked for again", async () => {
  const messages = new WaitingMessages();
  const first = messages.hasAny(async () => {
    messages.invalidate();
    return false;
  });
  assert.equal(await first, false);
  assert.equal(await messages.hasAny(async () => true), true);
});
