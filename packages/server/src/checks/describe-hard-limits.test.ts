import assert from "node:assert/strict";
import { test } from "node:test";
import type { hardLimit } from "@berth/linux";
import { mayDumpCore } from "@berth/sandbox";
import { describeHardLimits } from "./describe-hard-limits.ts";

type Title = Parameters<typeof hardLimit>[0];

const told = (own: Partial<Record<Title, number>>, settings = {}) => {
  const of = (title: Title) => own[title] ?? Number.POSITIVE_INFINITY;
  const { state, detail } = describeHardLimits({ sandbox: "bubblewrap", ...settings }, of) ?? {};
  return `${state}: ${detail}`;
};

test("hard limits: those of the service that lower the ones of its sandboxes are named", () => {
  assert.match(told({}), /^yes: /);
  const files = told({ "Max open files": 1_024 });
  assert.match(files, /^degraded: .*: 1024 open files instead of 65536\. /);
  const more = told({ "Max open files": 65_536, "Max processes": 100, "Max core file size": 0 });
  const core = mayDumpCore() ? " and no core files" : "";
  assert.match(more, new RegExp(`^degraded: .*: 100 processes instead of \\d+${core}\\. `));
});

test("hard limits: sandboxes on other machines → nothing is said", () => {
  const own = { "Max open files": 1_024 };
  assert.equal(told(own, { sandbox: "kubernetes" }), "undefined: undefined");
  assert.equal(told(own, { role: "api" }), "undefined: undefined");
});
