import assert from "node:assert/strict";
import { test } from "node:test";
import type { Session } from "@berth/sdk";
import { parentOf, placesOf, rootOf } from "./workspace-places.ts";

const session = {
  resources: [
    { type: "file", mount_path: "/x" },
    { type: "git_repository", url: "https://g/a", mount_path: "/data/a" },
  ],
} as unknown as Session;

test("looking around begins in a repository, and each place is there once", () => {
  const places = placesOf(session);
  assert.deepEqual(places.slice(0, 2), ["/data/a", "/data"]);
  assert.equal(new Set(places).size, places.length);
});

test("a path is in the innermost place, and one step leads up", () => {
  const places = placesOf(session);
  assert.deepEqual(
    ["/data/a/src", "/data/ab", "/data", "/opt"].map((path) => rootOf(path, places)),
    ["/data/a", "/data", "/data", "/opt"],
  );
  assert.deepEqual(["/data/a", "/data"].map(parentOf), ["/data", "/"]);
});
