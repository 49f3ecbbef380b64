import assert from "node:assert/strict";
import { test } from "node:test";
import { mountPath } from "@berth/contract";
import fc from "fast-check";
import { memoryMountPaths } from "./prepare-memory-stores.ts";

test("memory mount paths are made from store names", () => {
  const names = [
    "Team Notes",
    "team notes!",
    "Crème & Brûlée",
    "日本",
    "../..",
    "a".repeat(300),
    "team-notes-2",
  ];
  assert.deepEqual(memoryMountPaths(names), [
    "/mnt/memory/team-notes",
    "/mnt/memory/team-notes-2",
    "/mnt/memory/creme-brulee",
    "/mnt/memory/store",
    "/mnt/memory/store-2",
    `/mnt/memory/${"a".repeat(64)}`,
    "/mnt/memory/team-notes-2-2",
  ]);
});

test("memory mount paths: any names → distinct, and directly below the stores' directory", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary", maxLength: 80 }), { maxLength: 8 }), (names) => {
      const places = memoryMountPaths(names);
      assert.equal(new Set(places).size, names.length);
      for (const place of places) {
        assert.match(place, /^\/mnt\/memory\/[a-z0-9]+(-[a-z0-9]+)*$/);
        assert.ok(!mountPath.safeParse(place).success, "where nothing else can be mounted");
      }
    }),
  );
});
