import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compareVersions, isOfLine, matchVersion, newestOfLines } from "./versions.ts";

const number = fc.integer({ min: 0, max: 12 });
const version = fc.array(number, { minLength: 1, maxLength: 3 }).map((numbers) => numbers.join("."));

test("matchVersion: whatever the list, the answer is of the line, listed, and none of the line is newer", () => {
  fc.assert(
    fc.property(fc.array(version, { maxLength: 30 }), version, (versions, asked) => {
      const found = matchVersion(asked, versions);
      const fits = versions.filter((one) => `${one}.`.startsWith(`${asked}.`));
      assert.equal(found === null, fits.length === 0);
      if (found !== null) {
        assert.ok(fits.includes(found));
        assert.ok(fits.every((one) => compareVersions(one, found) <= 0));
      }
      const newest = matchVersion("latest", versions);
      assert.equal(newest, matchVersion("stable", versions));
      assert.ok(versions.every((one) => compareVersions(one, newest ?? "") <= 0));
    }),
  );
});

test("newestOfLines: whatever the list, each is the newest of its line, in order", () => {
  fc.assert(
    fc.property(fc.array(version, { maxLength: 30 }), (versions) => {
      const lines = newestOfLines("node", versions);
      assert.ok(lines.every((one) => matchVersion(one.split(".")[0] ?? "", versions) === one));
      assert.deepEqual(lines, lines.toSorted(compareVersions));
      assert.equal(lines.length, new Set(versions.map((one) => one.split(".")[0])).size);
    }),
  );
});

test("matchVersion: numbers are compared as numbers, and lts is the newest even one", () => {
  const versions = ["9.9.9", "20.10.0", "20.9.1", "22.3.0", "23.1.0"];
  assert.equal(matchVersion("20", versions), "20.10.0");
  assert.equal(matchVersion("20.9", versions), "20.9.1");
  assert.equal(matchVersion("20.1", versions), null);
  assert.equal(matchVersion("lts", versions), "22.3.0");
  assert.equal(matchVersion("latest", versions), "23.1.0");
  assert.equal(matchVersion("latest", []), null);
  assert.ok(isOfLine("1.24", "1.24") && isOfLine("1.24.4", "1.24") && !isOfLine("1.240", "1.24"));
});

test("newestOfLines: one of each line as the runtime's users know them, the newest ones", () => {
  assert.deepEqual(newestOfLines("node", ["20.1.0", "20.2.0", "18.9.0", "22.0.0"], 2), ["20.2.0", "22.0.0"]);
  assert.deepEqual(newestOfLines("go", ["1.24.1", "1.24.4", "1.25"]), ["1.24.4", "1.25"]);
});
