import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bodyOf, queryOf } from "./given-fields.ts";

describe("given fields", () => {
  test("dots lead deeper; later ones are laid over former ones", async () => {
    assert.deepEqual(
      await bodyOf({ field: ["a=1", "b.c=x=y", "b.d="], jsonField: ["a=2", 'b.e=["z"]', "f.g=null"] }),
      { a: 2, b: { c: "x=y", d: "", e: ["z"] }, f: { g: null } },
    );
    assert.deepEqual(await bodyOf({ jsonField: ["a=[1]"], field: ["a.b=c"] }), { a: [1] });
  });

  test("no name reaches beyond the body", async () => {
    const body = await bodyOf({ field: ["__proto__.polluted=yes", "constructor.prototype.polluted=yes"] });
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
    assert.deepEqual(Object.keys(body), ["__proto__", "constructor"]);
  });

  test("a query's name with brackets may come several times", () => {
    assert.deepEqual(queryOf(["limit=1", "statuses[]=idle", "statuses[]=running", "created_at[gt]=x"]), {
      limit: "1",
      statuses: ["idle", "running"],
      "created_at[gt]": "x",
    });
  });

  test("what is not of the form is told", async () => {
    for (const given of ["x", "=x", ""]) {
      await assert.rejects(bodyOf({ field: [given] }), /is not of the form name=value/);
    }
    await assert.rejects(bodyOf({ jsonField: ["a=b"] }), /The value of 'a' is not JSON/);
  });
});
