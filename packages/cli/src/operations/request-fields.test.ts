import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bodyOf, queryOf } from "./request-fields.ts";

describe("request fields", () => {
  test("dots set nested fields; later fields override earlier ones", async () => {
    assert.deepEqual(
      await bodyOf({ field: ["a=1", "b.c=x=y", "b.d="], jsonField: ["a=2", 'b.e=["z"]', "f.g=null"] }),
      { a: 2, b: { c: "x=y", d: "", e: ["z"] }, f: { g: null } },
    );
    assert.deepEqual(await bodyOf({ jsonField: ["a=[1]"], field: ["a.b=c"] }), { a: [1] });
  });

  test("no name can set anything outside the body", async () => {
    const body = await bodyOf({ field: ["__proto__.polluted=yes", "constructor.prototype.polluted=yes"] });
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
    assert.deepEqual(Object.keys(body), ["__proto__", "constructor"]);
  });

  test("a query parameter with brackets can be repeated", () => {
    assert.deepEqual(queryOf(["limit=1", "statuses[]=idle", "statuses[]=running", "created_at[gt]=x"]), {
      limit: "1",
      statuses: ["idle", "running"],
      "created_at[gt]": "x",
    });
  });

  test("a query parameter without brackets is given once", () => {
    assert.throws(() => queryOf(["order=asc", "limit=1", "order=desc"]), /^Error: 'order' is given twice\.$/);
  });

  test("a pair of the wrong form is rejected", async () => {
    for (const given of ["x", "=x", ""]) {
      await assert.rejects(bodyOf({ field: [given] }), /must have the form name=value/);
    }
    await assert.rejects(bodyOf({ jsonField: ["a=b"] }), /The value of 'a' is not JSON/);
  });
});
