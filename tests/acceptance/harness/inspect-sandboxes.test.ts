// Subject: the inspection of processes, which has to find a secret wherever a process has it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, test } from "node:test";
import { inspectProcesses } from "./inspect-sandboxes.ts";
import { SecretScanner } from "./secret-scanner.ts";

/** Has a secret on the heap and in a buffer of many pages, at its end. */
const PROGRAM = `const secret = [..."terces-eht"].reverse().join("");
const pages = Buffer.alloc(5_000_000);
pages.write(process.argv[1] === "heap" ? "nothing" : secret, 4_321_000);
const kept = process.argv[1] === "heap" ? secret + pages.length : "";
console.log("ready");
setInterval(() => kept + pages[0], 1_000);`;

for (const where of ["heap", "buffer"])
  test(`a secret in the memory of a process, in its ${where} → found; another one → not`, async () => {
    const child = spawn(process.execPath, ["-e", PROGRAM, where], { stdio: ["ignore", "pipe", "inherit"] });
    after(() => child.kill());
    await once(child.stdout, "data");
    const [scanner, other] = [new SecretScanner(), new SecretScanner()];
    scanner.add("the secret", ["the", "secret"].join("-"));
    other.add("another secret", "what no process has");
    const pids = [child.pid ?? 0];
    assert.throws(() => inspectProcesses(pids, scanner), /the secret \(.*\) is in the memory of node/);
    const { memory } = inspectProcesses(pids, other);
    assert.ok(memory > 5_000_000 && memory < 300_000_000, `${memory} bytes`);
  });
