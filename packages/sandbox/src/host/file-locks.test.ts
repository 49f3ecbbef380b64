import assert from "node:assert/strict";
import { test } from "node:test";
import { locksByPid } from "./file-locks.ts";

test("locksByPid: held locks and those that wait, without the ones that no process is known for", () => {
  const list = `1: POSIX  ADVISORY  WRITE 4711 08:01:131073 0 EOF
1: -> POSIX  ADVISORY  WRITE 4712 08:01:131073 0 EOF
2: FLOCK  ADVISORY  READ  4711 fe:00:2179183 0 EOF
3: OFDLCK ADVISORY  WRITE -1 fe:00:2179184 0 EOF
`;
  assert.deepEqual(
    [...locksByPid(list)],
    [
      [4711, 2],
      [4712, 1],
    ],
  );
});
