import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatId, parseId } from "./ids.ts";

test("property: an id is its uuid in base32, sorts as it does, and is read back", () => {
  const uuids = fc.uuid({ version: [1, 4, 7] });
  fc.assert(
    fc.property(uuids, uuids, (one, other) => {
      const [id, otherId] = [formatId("session", one), formatId("session", other)];
      assert.match(id, /^sess_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
      assert.equal(parseId("session", id), one);
      assert.equal(id < otherId, one < other);
    }),
  );
});

test("ids are as clients have stored them", () => {
  assert.equal(formatId("event", "00000000-0000-0000-0000-000000000000"), "evt_00000000000000000000000000");
  assert.equal(formatId("event", "ffffffff-ffff-ffff-ffff-ffffffffffff"), "evt_7zzzzzzzzzzzzzzzzzzzzzzzzz");
  assert.equal(formatId("agent", "01890a5d-ac96-774b-bcce-b302099a8057"), "agent_01h455vb4pex5vsknk084sn02q");
  for (const wrong of [
    "",
    "018",
    "01890a5d-ac96-774b-bcce-b302099a80570",
    "x1890a5d-ac96-774b-bcce-b302099a8057",
    "01890a5d-ac96-774b-bcce-b302099a805g",
    "01890a5d-ac96-774b-bcce-b302099a805\u0430",
    "01890a5dxac96-774b-bcce-b302099a8057",
    "01890a5d-ac96-774b-bcceb-302099a8057",
    "01890a5dac96774bbcceb302099a8057",
    "{01890a5d-ac96-774b-bcce-b302099a8057",
  ])
    assert.throws(() => formatId("agent", wrong), SyntaxError);
});
