import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { nested, type ResourceInput } from "@berth/contract";
import fc from "fast-check";
import { ApiError } from "../../http/errors.ts";
import { placeResources } from "./place-resources.ts";

function repository(name: string, mount: string | null = null): ResourceInput {
  return { type: "hosted_repository", url: `https://github.com/octo/${name}`, mount_path: mount };
}

const file: ResourceInput = { type: "file", file_id: "file_01h00000000000000000000000" };

describe("places of resources", () => {
  test("come from names, stepping aside for those that are given", () => {
    assert.deepEqual(placeResources([repository("a"), repository("a"), repository("b"), file]), [
      "/data/a",
      "/data/a-2",
      "/data/b",
      "/mnt/session/uploads/file_01h00000000000000000000000",
    ]);
    assert.deepEqual(placeResources([repository("a"), repository("x", "/data/a/deep")]), [
      "/data/a-2",
      "/data/a/deep",
    ]);
  });

  test("a name that makes no path asks for one", () => {
    assert.throws(() => placeResources([repository("x".repeat(300))]), {
      param: "resources[0].mount_path",
      status: 400,
    });
  });

  test("given ones that meet are refused at the later, and what is accepted never meets", () => {
    const place = fc.constantFrom(null, "/data/a", "/data/a/b", "/data/a-2", "/w", "/data/ab");
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom("a", "b", "a-2"), place), { maxLength: 6 }),
        (resources) => {
          const given = resources.map(([, mount]) => mount);
          const meets = given.findIndex(
            (mount, at) =>
              mount !== null && given.slice(0, at).some((other) => other !== null && nested(mount, other)),
          );
          try {
            const places = placeResources(resources.map(([name, mount]) => repository(name, mount)));
            assert.equal(meets, -1);
            for (const [at, one] of places.entries()) {
              assert.ok(places.slice(at + 1).every((other) => !nested(one, other)));
            }
          } catch (error) {
            if (!(error instanceof ApiError)) throw error;
            assert.equal(error.param, `resources[${meets}].mount_path`);
          }
        },
      ),
    );
  });
});
