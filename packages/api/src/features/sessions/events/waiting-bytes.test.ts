// Subject: input that waits in a session is limited in bytes, and taken in parts.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { InputEvent } from "@berth/contract";
import { appendTakingInputs } from "@berth/runs/test-support/internals/lease";
import type { Queryable } from "@berth/store/db";
import { appendInputs, newEventRow } from "@berth/store/session-log";
import { testDatabase } from "@berth/store/test-support/database";
import { seed, seedLease, seedSession } from "@berth/store/test-support/runs";

function message(megabytes: number, type: "user.message" | "system.message" = "user.message"): InputEvent {
  return { type, content: [{ type: "text", text: "a".repeat(megabytes * 1_000_000) }] };
}

async function send(db: Queryable, id: string, ...inputs: InputEvent[]): Promise<string> {
  const appended = await appendInputs(db, id, inputs);
  return typeof appended === "string" ? appended : "accepted";
}

const CASES: readonly [string, InputEvent[]][] = [
  ["messages of 3.9 MB", Array.from({ length: 4 }, () => message(3.9))],
  ["one of a megabyte after the other", Array.from({ length: 16 }, () => message(1))],
  ["messages of the operator", Array.from({ length: 8 }, () => message(2, "system.message"))],
];

for (const [what, inputs] of CASES)
  test(`${what}: what would be too much is refused, and an interrupt is not`, async (t) => {
    const { write } = await testDatabase(t);
    const id = await seedSession(write, await seed(write));
    for (const input of inputs) assert.equal(await send(write, id, input), "accepted");
    assert.equal(await send(write, id, message(1.5)), "full");
    assert.equal(await send(write, id, { type: "user.interrupt" }, message(1.5)), "full");
    assert.equal(await send(write, id, { type: "user.interrupt" }), "accepted");
    await appendTakingInputs(write, await seedLease(write, id, "own"), []);
    assert.equal(await send(write, id, message(3.9)), "accepted");
  });

test("a message that is larger than all that may wait waits alone", async (t) => {
  const { write } = await testDatabase(t);
  const id = await seedSession(write, await seed(write));
  assert.equal(await send(write, id, message(20)), "accepted");
  assert.equal(await send(write, id, message(0.001)), "full");
});

test("more waits than one request takes → the first ones are taken, then others, each once and in order", async (t) => {
  const { write } = await testDatabase(t);
  const id = await seedSession(write, await seed(write));
  const count = 12;
  for (let seq = 1; seq <= count; seq++) {
    const row = newEventRow({ event: message(3.9) });
    await write.query({
      text: "insert into events (session_id, seq, id, type, body) values ($1, $2, $3, $4, $5)",
      values: [id, seq, row.id, row.type, row.body],
    });
  }
  await write.query({ text: "update sessions set last_seq = $1", values: [count] });
  const lease = await seedLease(write, id, "own");
  const taken = [];
  for (let round = 0; round < 3; round++)
    taken.push((await appendTakingInputs(write, lease, [])).map(({ seq }) => seq));
  assert.deepEqual(taken, [
    [1, 2, 3, 4, 5],
    [6, 7, 8, 9, 10],
    [11, 12],
  ]);
});
