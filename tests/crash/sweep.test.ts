import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { bash, makeFile, makeSession, runTurn, toolResults } from "../acceptance/harness/fixtures.ts";
import { servicesOf } from "../acceptance/harness/services-of-test.ts";

/**
 * Creates what killed processes can leave: content without a row, partial content, and disks without a
 * session.
 */
function createOrphans(dataDir: string): void {
  const content = "of no row";
  const sha256 = createHash("sha256").update(content).digest("hex");
  const orphans = [
    join("blobs", sha256.slice(0, 2), sha256.slice(2, 4), sha256),
    join("blobs", "partial", "1.1.gone"),
    join("blobs", "growing", "01890a5d-ac96-774b-bcce-b302099a8057"),
    join("sessions", "sess_01h455vb4pex5vsknk084sn02q", "data", "file"),
    join("sessions", "sess_01h455vb4pex5vsknk084sn02q.0011.deleted", "data", "file"),
  ];
  for (const path of orphans.map((name) => join(dataDir, name))) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    utimesSync(path, 0, 0);
  }
}

function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

test("start after a kill: removes orphaned content and disks, and only those of its own database", {
  timeout: 600_000,
}, async (t) => {
  const start = servicesOf(t);
  const first = await start();
  const { dataDir } = first;
  const api = await first.client();
  const file = await makeFile(api, "kept");
  const session = await makeSession(api);
  await runTurn(api, session.id, bash("echo kept > /data/kept"));
  await first.kill("SIGKILL");
  const contents = () => filesIn(join(dataDir, "blobs"));
  const disks = () => readdirSync(join(dataDir, "sessions")).sort();
  const before = { contents: contents(), disks: disks() };
  createOrphans(dataDir);
  const all = contents();
  assert.equal(all.length, before.contents.length + 3);

  const note = join(dataDir, "database");
  assert.ok(existsSync(note));
  writeFileSync(note, "another\n");
  const foreign = await start({ dataDir });
  const signal = AbortSignal.timeout(180_000);
  while (disks().length > before.disks.length + 1 || filesIn(join(dataDir, "blobs", "partial")).length > 0)
    await pause(50, undefined, { signal });
  await foreign.logged(/belongs to another database/);
  await foreign.kill("SIGTERM");
  const kept = all.filter((path) => !path.includes("/partial/"));
  assert.deepEqual(contents(), kept, "only partial content was removed");
  assert.ok(disks().includes("sess_01h455vb4pex5vsknk084sn02q"));

  rmSync(note);
  const last = await start({ dataDir });
  const again = await last.client();
  while (contents().length > before.contents.length || disks().length > before.disks.length)
    await pause(50, undefined, { signal });
  assert.deepEqual(contents(), before.contents);
  assert.deepEqual(disks(), before.disks);
  assert.equal((await again.get(`/files/${file.id}/content`)).body, "kept");
  assert.deepEqual(toolResults(await runTurn(again, session.id, bash("cat /data/kept"))), ["kept"]);
});
