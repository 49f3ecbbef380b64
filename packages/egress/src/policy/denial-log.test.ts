import assert from "node:assert/strict";
import { test } from "node:test";
import { DenialLog, type EgressDenied } from "./denial-log.ts";

const denied = (host: string): EgressDenied => ({ host, port: 443, reason: "not_allowed" });

test("a watch lists what was denied since, each host once, reported or not; nothing from before", () => {
  const reported: string[] = [];
  const log = new DenialLog(({ host }) => reported.push(host), 3_600_000);
  log.add(denied("before.example"));
  const since = log.watch();
  assert.deepEqual(since(), []);
  for (const host of ["one.example", "two.example", "one.example"]) log.add(denied(host));
  const later = log.watch();
  log.add(denied("before.example"));
  assert.deepEqual(since(), ["before.example", "one.example", "two.example"].map(denied));
  assert.deepEqual(later(), [denied("before.example")]);
  assert.deepEqual(reported, ["before.example", "one.example", "two.example"]);
});

test("a watch that began after a denial does not list it when another host is denied", () => {
  const log = new DenialLog(() => {});
  log.add(denied("before.example"));
  const since = log.watch();
  log.add(denied("after.example"));
  assert.deepEqual(since(), [denied("after.example")]);
});
