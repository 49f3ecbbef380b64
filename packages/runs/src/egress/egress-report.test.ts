import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunLog } from "../lease/run-log.ts";
import { createEgressReport } from "./egress-report.ts";

test("createEgressReport: 300 denials in a minute → 100 are appended and one warning is logged; the next minute counts anew", () => {
  const hosts: string[] = [];
  const warnings: string[] = [];
  let now = 0;
  const append: RunLog["append"] = async (drafts) => {
    for (const { event } of drafts) if (event.type === "session.egress_denied") hosts.push(event.host);
    return [];
  };
  const log = { debug: () => {}, warn: (_: object, message: string) => warnings.push(message) };
  const report = createEgressReport(
    { append },
    log as never,
    (text) => text,
    () => now,
  );
  for (let index = 0; index < 300; index += 1)
    report({ host: `h${index}.example`, port: null, reason: "not_allowed" });
  assert.deepEqual([hosts.length, warnings.length], [100, 1]);
  now = 60_000;
  report({ host: "x".repeat(400), port: 80, reason: "not_allowed" });
  assert.deepEqual([hosts.length, hosts.at(-1)?.length, warnings.length], [101, 255, 1]);
});
