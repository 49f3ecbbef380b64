import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createProgressReader } from "./clone-progress.ts";
import type { CloneProgress } from "./repository/repository.ts";

/** Output of a clone by git 2.39, shortened. */
const SAMPLE = [
  "Cloning into '/data/widget'...\n",
  "remote: Enumerating objects: 1203, done.        \n",
  "remote: Counting objects:   0% (1/1203)        \rremote: Counting objects:  50% (602/1203)        \r",
  "remote: Counting objects: 100% (1203/1203)        \rremote: Counting objects: 100% (1203/1203), done.        \n",
  "remote: Compressing objects:   0% (1/803)        \rremote: Compressing objects: 100% (803/803), done.        \n",
  "Receiving objects:   0% (1/1203)\rReceiving objects:  41% (494/1203), 5.31 MiB | 10.57 MiB/s\r",
  "remote: Total 1203 (delta 0), reused 0 (delta 0), pack-reused 0        \n",
  "Receiving objects:  99% (1191/1203), 15.31 MiB | 10.57 MiB/s\rReceiving objects: 100% (1203/1203), 20.01 MiB | 11.02 MiB/s, done.\n",
  "Resolving deltas:   0% (0/12)\rResolving deltas: 100% (12/12), done.\n",
  "Updating files:  52% (633/1203)\rUpdating files: 100% (1203/1203), done.\n",
].join("");

test("progress reader: one line at a time → each phase and percentage, in order", () => {
  assert.deepEqual(read(SAMPLE.split(/(?<=[\r\n])/)), [
    "counting",
    "counting 0",
    "counting 50",
    "counting 100",
    "receiving 0",
    "receiving 41",
    "receiving 99",
    "receiving 100",
    "resolving 0",
    "resolving 100",
    "checking_out 52",
    "checking_out 100",
  ]);
});

test("progress reader: one chunk → only its furthest state", () => {
  assert.deepEqual(read([SAMPLE]), ["checking_out 100"]);
});

test("progress reader: any chunks → states only advance, and the last is the same", () => {
  const cuts = fc.array(fc.integer({ min: 0, max: SAMPLE.length }), { maxLength: 60 });
  const whole = read(SAMPLE.split(/(?<=[\r\n])/));
  fc.assert(
    fc.property(cuts, (positions) => {
      const states = read(pieces(positions.toSorted((one, other) => one - other)));
      assert.equal(states.at(-1), "checking_out 100");
      const order = states.map((state) => whole.indexOf(state));
      assert.ok(!order.includes(-1), `unknown state: ${states}`);
      assert.deepEqual(
        order,
        order.toSorted((one, other) => one - other),
      );
    }),
  );
});

test("progress reader: any bytes → no error, and no percentage above 100", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 400 })), (chunks) => {
      const reader = createProgressReader(({ percent }) => assert.ok(percent === null || percent <= 100));
      for (const chunk of chunks) reader(chunk);
    }),
  );
  assert.deepEqual(read(["x".repeat(1_000_000), "Receiving objects:  7", "% (1/9)"]), ["receiving 7"]);
  assert.deepEqual(read(["Receiving objects: 900% (9/1)"]), ["receiving 100"]);
});

function pieces(positions: number[]): string[] {
  return [0, ...positions].map((cut, index) => SAMPLE.slice(cut, positions[index] ?? SAMPLE.length));
}

function read(chunks: readonly string[]): string[] {
  const states: CloneProgress[] = [];
  const reader = createProgressReader((progress) => states.push(progress));
  for (const chunk of chunks) reader(Buffer.from(chunk));
  return states.map(({ phase, percent }) => (percent === null ? phase : `${phase} ${percent}`));
}
