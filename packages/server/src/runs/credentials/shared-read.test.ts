import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedRead } from "./shared-read.ts";

test("who asks while a read is under way gets what a later one has found, and shares it", async () => {
  const begun: PromiseWithResolvers<number>[] = [];
  const read = sharedRead(() => {
    const one = Promise.withResolvers<number>();
    begun.push(one);
    return one.promise;
  });
  const first = [read(), read()];
  await Promise.resolve();
  assert.equal(begun.length, 1);
  const later = [read(), read(), read()];
  await new Promise(setImmediate);
  assert.equal(begun.length, 1, "one at a time");
  begun[0]?.resolve(1);
  assert.deepEqual(await Promise.all(first), [1, 1]);
  await new Promise(setImmediate);
  assert.equal(begun.length, 2);
  begun[1]?.resolve(2);
  assert.deepEqual(await Promise.all(later), [2, 2, 2]);
});

test("a read that fails fails for those who share it, and the next one reads again", async () => {
  let count = 0;
  const read = sharedRead(async () => {
    count += 1;
    if (count === 1) throw new Error("away");
    return count;
  });
  await assert.rejects(read(), /away/);
  assert.equal(await read(), 2);
});
