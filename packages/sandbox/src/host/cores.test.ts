import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCores, takeCores } from "./cores.ts";

test("cores: as many as the limit rounds up to, the least used first, until they are released", () => {
  // Other tests of this process may have sandboxes on its own cores.
  const available = [1_000, 1_001, 1_004, 1_005];
  const taken = [1, 0.5, 1.5].map((cpus) => takeCores(cpus, available));
  assert.deepEqual(
    taken.map(({ numbers }) => numbers?.length),
    [1, 1, 2],
  );
  assert.deepEqual(
    taken.flatMap(({ numbers }) => numbers ?? []).sort((one, other) => one - other),
    available,
  );
  const [first] = taken;
  first?.release();
  first?.release();
  const next = takeCores(1, available);
  assert.deepEqual(next.numbers, first?.numbers);
  for (const one of [...taken, next]) one.release();
});

test("cores: a limit of all cores or more → no choice", () => {
  assert.equal(takeCores(1.1, [0, 1]).numbers, null);
  assert.equal(takeCores(64, [3]).numbers, null);
});

test("parseCores: numbers and ranges", () => {
  assert.deepEqual(parseCores("0-2,5\n"), [0, 1, 2, 5]);
  assert.deepEqual(parseCores(""), []);
});
