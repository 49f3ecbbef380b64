import assert from "node:assert/strict";
import { test } from "node:test";
import type { V1Pod } from "@kubernetes/client-node";
import { NoRoomError, SandboxError } from "../interface/errors.ts";
import { onceRoomIsMade, PodRoom } from "./room.ts";

const ROOM = { placeMs: 600_000, othersRun: async () => true };

test("onceRoomIsMade: it is tried again while there is no room, which is asked for; other errors, and nobody to ask, end it", async () => {
  let [asked, tried] = [0, 0];
  const makeRoom = async () => {
    asked += 1;
  };
  const open = async () => {
    tried += 1;
    if (tried < 3) throw new NoRoomError();
    return "opened";
  };
  assert.equal(await onceRoomIsMade({ makeRoom }, ROOM, open), "opened");
  assert.deepEqual([asked, tried], [1, 3], "what becomes free is known a moment later");
  await assert.rejects(
    onceRoomIsMade({}, ROOM, () => Promise.reject(new NoRoomError())),
    NoRoomError,
  );
  const broken = new SandboxError("broken");
  await assert.rejects(
    onceRoomIsMade({ makeRoom }, ROOM, () => Promise.reject(broken)),
    broken,
  );
  assert.equal(asked, 1);
});

test("onceRoomIsMade: nobody needs it any more → it is not tried again", async () => {
  const ending = new AbortController();
  let tried = 0;
  const open = async () => {
    tried += 1;
    throw new NoRoomError();
  };
  const makeRoom = async () => ending.abort();
  await assert.rejects(onceRoomIsMade({ makeRoom, signal: ending.signal }, ROOM, open), NoRoomError);
  assert.ok(tried <= 2, `${tried} times`);
});

function waiting(message: string | null): V1Pod {
  const conditions = message === null ? [] : [{ type: "PodScheduled", status: "False", message }];
  return { status: { conditions } };
}

test("PodRoom: room is asked for where a node would do if others were not there", async () => {
  const ending = new AbortController();
  const asked = Promise.withResolvers<void>();
  let count = 0;
  const room = new PodRoom(async () => {
    count += 1;
    asked.resolve();
  }, ending.signal);
  room.saw(waiting("0/2 nodes are available: 2 node(s) didn't match node selector."));
  assert.deepEqual([room.isCrowded, count], [false, 0]);
  for (const why of ["1 Insufficient cpu, 1 node(s) were unschedulable", "2 Too many pods"])
    room.saw(waiting(`0/2 nodes are available: ${why}.`));
  await asked.promise;
  assert.deepEqual([room.isCrowded, count], [true, 1]);
  room.saw(waiting(null));
  assert.equal(room.isCrowded, false);
  ending.abort();
});
