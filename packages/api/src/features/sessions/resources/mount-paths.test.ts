import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { pathsOverlap, type ResourceInput } from "@berth/contract";
import { ApiError } from "@berth/store/errors";
import fc from "fast-check";
import { resourceMountPaths } from "./mount-paths.ts";

function repository(name: string, mount: string | null = null) {
  return { type: "hosted_repository" as const, url: `https://github.com/octo/${name}`, mount_path: mount };
}

const file: ResourceInput = { type: "file", file_id: "file_01h00000000000000000000000" };

describe("mount paths", () => {
  test("default paths come from names, and avoid given paths", () => {
    assert.deepEqual(resourceMountPaths([repository("a"), repository("a"), repository("b"), file]), [
      "/data/a",
      "/data/a-2",
      "/data/b",
      "/mnt/session/uploads/file_01h00000000000000000000000",
    ]);
    assert.deepEqual(resourceMountPaths([repository("a"), repository("x", "/data/a/deep")]), [
      "/data/a-2",
      "/data/a/deep",
    ]);
  });

  test("a file in a repository → both keep their paths, in either order and with a default path", () => {
    const inside: ResourceInput = { ...file, mount_path: "/data/a/.env" };
    assert.deepEqual(resourceMountPaths([repository("a"), inside]), ["/data/a", "/data/a/.env"]);
    assert.deepEqual(resourceMountPaths([inside, repository("a")]), ["/data/a/.env", "/data/a"]);
    assert.deepEqual(resourceMountPaths([inside, repository("b", "/data/a")]), ["/data/a/.env", "/data/a"]);
  });

  test("a file at a repository's path, above it, in another file, or in its .git → rejected", () => {
    const at = (mount_path: string): ResourceInput => ({ ...file, mount_path });
    for (const path of ["/data/a", "/data/a/.git/config", "/data/a/b/.GIT/hooks/x"]) {
      const given = [repository("a", "/data/a"), at(path)];
      assert.throws(() => resourceMountPaths(given), { status: 400, param: "resources[1].mount_path" });
    }
    const files = [at("/data/f"), at("/data/f/g")];
    assert.throws(() => resourceMountPaths(files), { status: 400, param: "resources[1].mount_path" });
    const above = [at("/data/f"), repository("a", "/data/f/a")];
    assert.throws(() => resourceMountPaths(above), { status: 400, param: "resources[1].mount_path" });
  });

  test("a repository name without a valid path → mount_path is required", () => {
    assert.throws(() => resourceMountPaths([repository("x".repeat(300))]), {
      param: "resources[0].mount_path",
      status: 400,
    });
  });

  test("given paths that overlap → the later one is rejected; accepted ones never overlap", () => {
    const place = fc.constantFrom(null, "/data/a", "/data/a/b", "/data/a-2", "/w", "/data/ab");
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom("a", "b", "a-2"), place), { maxLength: 6 }),
        (resources) => {
          const given = resources.map(([, mount]) => mount);
          const meets = given.findIndex(
            (mount, at) =>
              mount !== null &&
              given.slice(0, at).some((other) => other !== null && pathsOverlap(mount, other)),
          );
          try {
            const places = resourceMountPaths(resources.map(([name, mount]) => repository(name, mount)));
            assert.equal(meets, -1);
            for (const [at, one] of places.entries()) {
              assert.ok(places.slice(at + 1).every((other) => !pathsOverlap(one, other)));
            }
          } catch (error) {
            if (!(error instanceof ApiError)) throw error;
            assert.equal(error.param, `resources[${meets}].mount_path`);
          }
        },
      ),
    );
  });

  test("all types: the first overlap is reported, and accepted paths never overlap", () => {
    const id = (last: string) => `file_01h0000000000000000000000${last}`;
    const place = fc.option(
      fc.oneof(
        fc
          .array(fc.constantFrom("a", "b", "a-2"), { minLength: 1, maxLength: 3 })
          .map((names) => `/data/${names.join("/")}`),
        fc.constantFrom("/w", "/w/a", `/mnt/session/uploads/${id("a")}`, `/mnt/session/uploads/${id("b")}/x`),
      ),
    );
    const kind = fc.constantFrom("hosted_repository", "git_repository", "file");
    const name = fc.constantFrom("a", "b", "a-2");
    fc.assert(
      fc.property(fc.array(fc.tuple(kind, name, place), { maxLength: 8 }), (list) => {
        const inputs = list.map(
          ([type, word, mount]): Exclude<ResourceInput, { type: "memory_store" | "vault" }> => {
            if (type === "hosted_repository") return repository(word, mount);
            if (type === "file") return { type, file_id: id(word.at(-1) ?? ""), mount_path: mount };
            return { type: "git_repository", url: `https://git.example/x/y/${word}.git`, mount_path: mount };
          },
        );
        const fixed = inputs.map((input) =>
          input.type === "file" && input.mount_path == null
            ? `/mnt/session/uploads/${input.file_id}`
            : (input.mount_path ?? null),
        );
        const first = fixed.findIndex((mount, at) =>
          fixed
            .slice(0, at)
            .some(
              (other, before) =>
                mount !== null && other !== null && collide([list[at], mount], [list[before], other]),
            ),
        );
        if (first >= 0) {
          assert.throws(() => resourceMountPaths(inputs), {
            status: 400,
            param: `resources[${first}].mount_path`,
          });
          return;
        }
        const places = resourceMountPaths(inputs);
        for (const [at, one] of places.entries()) {
          assert.ok(
            places
              .slice(at + 1)
              .every((other, after) => !collide([list[at], one], [list[at + 1 + after], other])),
            places.join(" "),
          );
          if (fixed[at] !== null) assert.equal(one, fixed[at]);
          else assert.match(one, new RegExp(`^/data/${list[at]?.[1]}(-[0-9]+)?$`));
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

function isPrefixOfOther(one: string, other: string): boolean {
  const [short = [], long = []] = [one.split("/"), other.split("/")].sort((a, b) => a.length - b.length);
  return short.every((segment, at) => segment === long[at]);
}

type Placed = [resource: readonly [kind: string, ...unknown[]] | undefined, path: string];

/** Returns whether two paths collide. A file may be inside a repository. */
function collide([one, path]: Placed, [other, otherPath]: Placed): boolean {
  if (!isPrefixOfOther(path, otherPath)) return false;
  const isIn = (inner: Placed, outer: Placed) =>
    inner[0]?.[0] === "file" && outer[0]?.[0] !== "file" && inner[1].length > outer[1].length;
  return !isIn([one, path], [other, otherPath]) && !isIn([other, otherPath], [one, path]);
}
