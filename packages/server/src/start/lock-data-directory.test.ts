import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { lockDataDirectory } from "./lock-data-directory.ts";

function directory(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "berth-hold-"));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

test("lockDataDirectory: held → another service is rejected until it is released", async (t) => {
  const dataDir = directory(t);
  const release = lockDataDirectory(dataDir);
  assert.throws(
    () => lockDataDirectory(dataDir),
    new RegExp(`already serves ${dataDir}, as process ${process.pid}`),
  );
  release();
  lockDataDirectory(dataDir)();
});

test("lockDataDirectory: many services start at once → one gets the lock", async (t) => {
  const dataDir = directory(t);
  const starts = Array.from({ length: 8 }, () => startHolder(t, [process.execPath], dataDir));
  const outcomes = await Promise.all(starts.map((start) => once(start.stdout, "data")));
  assert.equal(outcomes.filter(([text]) => `${text}` === "locked").length, 1);
});

test("lockDataDirectory: held in another pid and network namespace → rejected; the holder is killed → free", async (t) => {
  const dataDir = directory(t);
  const apart = ["unshare", "--fork", "--pid", "--mount-proc", "--net", "--kill-child", process.execPath];
  const holder = startHolder(t, apart, dataDir);
  const [text] = await once(holder.stdout, "data");
  assert.equal(`${text}`, "locked");
  assert.throws(() => lockDataDirectory(dataDir), /already serves .*, in another container/);
  holder.kill("SIGKILL");
  await once(holder, "close");
  lockDataDirectory(dataDir)();
});

test("lockDataDirectory: the lock of a dead process, or of a reused pid → it is taken over", (t) => {
  const dataDir = directory(t);
  for (const note of ["4194305 1", `${process.pid} 1`, "", "nonsense"]) {
    writeFileSync(join(dataDir, "serving"), note);
    lockDataDirectory(dataDir)();
  }
});

/** Starts a process that locks the data directory, prints whether it succeeded, and stays. */
function startHolder(t: TestContext, command: readonly string[], dataDir: string) {
  const module = JSON.stringify(import.meta.resolve("./lock-data-directory.ts"));
  const program = `import { lockDataDirectory } from ${module};
    try { lockDataDirectory(${JSON.stringify(dataDir)}); process.stdout.write("locked"); }
    catch { process.stdout.write("refused"); }
    setInterval(() => {}, 1000);`;
  const [file = "", ...args] = [...command, "--input-type=module", "-e", program];
  const child = spawn(file, args, { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => child.kill("SIGKILL"));
  return child;
}
