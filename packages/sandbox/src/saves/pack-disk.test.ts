// Subject: an archive that fails before anybody reads it; a later reader, and nobody else, gets the error.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Sandbox } from "../interface/sandbox.ts";
import { PackError, packDisk } from "./pack-disk.ts";

const OPTIONS = { timeoutMs: 1_000, signal: new AbortController().signal };
const PLAN = { root: "/", places: ["/data"] };

type Run = Sandbox["run"];
const NOTHING = { exitCode: null, output: Buffer.of(), omittedBytes: 0, outputFile: null, cwd: "/" };

const FAILURES: Readonly<Record<string, Run>> = {
  "process 1 ends as it begins": async () => ({ ...NOTHING, ended: "closed" }),
  "the packing ends with an error": async () => ({ ...NOTHING, ended: "exit", exitCode: 2 }),
  "it cannot be run": async () => {
    throw new Error("The sandbox is gone.");
  },
};

for (const [when, run] of Object.entries(FAILURES))
  test(`${when} → the archive's reader is told, however late`, async () => {
    const { archive, outcome } = packDisk({ run }, PLAN, OPTIONS);
    assert.equal(await outcome, null);
    await nextTurn();
    await assert.rejects(archive.toArray(), PackError);
  });
