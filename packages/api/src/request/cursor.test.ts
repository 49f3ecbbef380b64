import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Cursor, type CursorScope, createCursors } from "./cursor.ts";

const cursors = createCursors(Buffer.alloc(32, 7));

const SCOPE: CursorScope = {
  operation: "events.list",
  params: { session_id: "session_1" },
  filters: { order: "asc", statuses: ["idle"] },
  principalId: "user_1",
};

const OTHERS: Record<string, CursorScope> = {
  "another operation": { ...SCOPE, operation: "files.list" },
  "another path parameter": { ...SCOPE, params: { session_id: "session_2" } },
  "no path parameter": { ...SCOPE, params: {} },
  "another filter": { ...SCOPE, filters: { ...SCOPE.filters, order: "desc" } },
  "an added filter": { ...SCOPE, filters: { ...SCOPE.filters, include_archived: true } },
  "no filter": { ...SCOPE, filters: {} },
  "another caller": { ...SCOPE, principalId: "user_2" },
};

const POSITION: Cursor = { direction: "newer", position: "0199-abcd" };

for (const [what, scope] of Object.entries(OTHERS)) {
  test(`cursor: ${what} than it was made for → rejected`, () => {
    assert.equal(cursors.open(scope, cursors.seal(SCOPE, POSITION)), null);
    assert.equal(cursors.open(SCOPE, cursors.seal(scope, POSITION)), null);
  });
}

test("cursor: any position and direction → read back in its scope, in any order of the filters", () => {
  const direction = fc.constantFrom("older" as const, "newer" as const);
  const position = fc.string({ unit: "grapheme", minLength: 1 });
  const { order, statuses } = SCOPE.filters;
  const reordered = { ...SCOPE, filters: { statuses, page: undefined, order } };
  fc.assert(
    fc.property(direction, position, (direction, position) => {
      const text = cursors.seal(SCOPE, { direction, position });
      assert.match(text, /^[\w-]+$/);
      assert.deepEqual(cursors.open(reordered, text), { direction, position });
    }),
  );
});

test("cursor: a changed byte → rejected", () => {
  const bytes = Buffer.from(cursors.seal(SCOPE, POSITION), "base64url");
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.equal(cursors.open(SCOPE, changed.toString("base64url")), null, `byte ${at}`);
  }
});
