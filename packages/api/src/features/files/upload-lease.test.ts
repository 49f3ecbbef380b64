import assert from "node:assert/strict";
import { test } from "node:test";
import { parseId } from "@berth/contract";
import { machineId, processStart } from "@berth/linux";
import { testApp } from "../../../test-support/http.ts";
import { takeUpload } from "./upload-lease.ts";
import { dropReceiver, receiverOf, storeReceived, takeReceiver } from "./upload-store.ts";

const ELSEWHERE = "another-machine.1.1.request";

test("upload lease: one request of all processes has a file; a dead or silent one loses it", async (t) => {
  const { db, caller } = await testApp(t);
  const owner = await caller();
  const { body } = await owner.post("/files", { filename: "a.bin" });
  const id = parseId("file", body.id) ?? "";
  const receive = (receiver: string) => storeReceived(db.write, id, { uploaded: 1, size: null, receiver });

  assert.ok(await takeReceiver(db.write, id, { receiver: ELSEWHERE, from: null }));
  const waiting = takeUpload(db.write, id);
  for (let looks = 0; looks < 20; looks++) assert.equal(await receiverOf(db.write, id), ELSEWHERE);
  assert.ok(await receive(ELSEWHERE));
  await dropReceiver(db.write, id, ELSEWHERE);
  const lease = await waiting;
  assert.ok(lease !== null && (await receive(lease.receiver)));
  assert.equal(await receive(ELSEWHERE), null, "a request that lost the file stores nothing");
  assert.equal(await takeUpload(db.write, id), null, "a request of the same process is answered at once");
  await lease.release();

  const dead = [machineId(), process.pid, Number(processStart(process.pid)) - 1, "request"].join(".");
  assert.ok(await takeReceiver(db.write, id, { receiver: dead, from: null }));
  await (await takeUpload(db.write, id))?.release();
  assert.equal(await receiverOf(db.write, id), null, "it was taken from the dead process");

  assert.ok(await takeReceiver(db.write, id, { receiver: ELSEWHERE, from: null }));
  const text = "update files set received_until = now() - interval '1 second' where id = $1";
  await db.write.query({ text, values: [id] });
  await (await takeUpload(db.write, id))?.release();
  assert.equal(await receiverOf(db.write, id), null, "it was taken from the silent one");
});
