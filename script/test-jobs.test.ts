import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { LONGEST } from "./order-of-files.ts";
import { testJobs } from "./test-jobs.ts";
import { DAYS } from "./test-parts.ts";

test("files of one package share processes of about the same size, and each file is run once", (t) => {
  const names = Array.from({ length: 35 }, (_, n) => `packages/agent/src/${`${n}`.padStart(2, "0")}.test.ts`);
  const jobs = testJobs(names, folder(t, names, 'test("a", () => {});'));
  assert.deepEqual(jobs.flat().toSorted(), names);
  assert.deepEqual(
    jobs.map((job) => job.length),
    [12, 12, 11],
  );
});

test("files of two packages share no process", (t) => {
  const names = [
    "packages/agent/src/a.test.ts",
    "packages/egress/src/a.test.ts",
    "packages/agent/src/b.test.ts",
  ];
  const jobs = testJobs(names, folder(t, names, 'test("a", () => {});'));
  assert.deepEqual(jobs, [
    ["packages/agent/src/a.test.ts", "packages/agent/src/b.test.ts"],
    ["packages/egress/src/a.test.ts"],
  ]);
});

test("a file with hooks for each test, one that starts services, and one that measures its process have a process of their own", (t) => {
  for (const [name, text] of [
    ["packages/egress/src/a.test.ts", 'import { test } from "node:test";\nafterEach(close);'],
    ["packages/sdk/src/a.test.ts", "beforeEach(() => {\n});"],
    ["tests/acceptance/scenarios/a.test.ts", 'test("a", () => {});'],
    ["packages/store/src/a.test.ts", "const before = process.memoryUsage.rss();"],
    ["packages/runs/src/a.test.ts", 'const descriptors = readdirSync("/proc/self/fd");'],
  ] as const) {
    const second = name.replace("/a.", "/b.");
    assert.deepEqual(testJobs([name, second], folder(t, [name, second], text)), [[name], [second]]);
  }
});

test("scenarios that share a service share a process, apart from those that share another one", (t) => {
  const names = ["a", "b", "c"].map((name) => `tests/acceptance/scenarios/${name}.test.ts`);
  const root = folder(t, names, "const { api } = await sharedService();");
  assert.deepEqual(testJobs(names, root), [names]);
  writeFileSync(join(root, names[1] ?? ""), 'const { host } = await sharedGitService("quick");');
  assert.deepEqual(testJobs(names, root), [[names[0], names[2]], [names[1]]]);
});

test("files of the rest have processes of their own", (t) => {
  const names = DAYS.map((day) => Object.keys(day).find((file) => file.startsWith("packages/")) ?? "");
  const root = folder(t, names, 'test("a", () => {});');
  assert.deepEqual(
    testJobs(names, root),
    names.map((name) => [name]),
  );
});

test("what a file starts before its tests, and a suite's own hooks, are no reason for a process of its own", (t) => {
  const names = ["packages/agent/src/a.test.ts", "packages/agent/src/b.test.ts"];
  const root = folder(
    t,
    names,
    'before(() => {});\ndescribe("a", () => {\n  before(() => {});\n  beforeEach(() => {});\n});',
  );
  assert.deepEqual(testJobs(names, root), [names]);
});

test("the longest files begin first, then those that share a process, then those that run alone", (t) => {
  const [long = ""] = LONGEST;
  const names = ["packages/agent/src/a.test.ts", "tests/a.test.ts", long];
  const jobs = testJobs(names, folder(t, names, 'test("a", () => {});'));
  assert.deepEqual(jobs, [[long], ["packages/agent/src/a.test.ts"], ["tests/a.test.ts"]]);
});

/** Makes a folder with these files, which all have this text. */
function folder(t: TestContext, names: readonly string[], text: string): string {
  const root = mkdtempSync(join(tmpdir(), "test-jobs-"));
  t.after(() => rmSync(root, { recursive: true }));
  for (const name of names) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}
