import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { servicesOf } from "../harness/services-of-test.ts";

const BINARY = fileURLToPath(new URL("../../../bin/berth", import.meta.url));
const MIGRATIONS = fileURLToPath(new URL("../../../packages/store/src/db/migrations", import.meta.url));
const settings = { BERTH_MIGRATE: "off" };

covers(["migrate-apart"], "BERTH_MIGRATE=off: a start needs berth migrate first", async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), "berth-upgrades-"));
  const start = servicesOf(t);
  const all = (await readdir(MIGRATIONS)).sort();
  await assert.rejects(Berth.start({ dataDir, settings }), {
    message: new RegExp(
      `^serve ended with 1:[\\s\\S]*The database lacks ${all.length} migrations, from ${all[0]} on\\. BERTH_MIGRATE is off, so run berth migrate\\.\\s*$`,
    ),
  });
  const migrate = async (...flags: string[]) => {
    const args = ["migrate", ...flags, "--data-dir", dataDir];
    return (await promisify(execFile)(BINARY, args)).stdout;
  };
  assert.equal(await migrate("--dry-run"), all.map((name) => `To be applied: ${name}.\n`).join(""));
  assert.deepEqual(JSON.parse(await migrate("--dry-run", "--json")), {
    applied: [],
    pending: all,
    newer: [],
  });
  assert.equal(await migrate(), all.map((name) => `Applied ${name}.\n`).join(""));
  assert.equal(await migrate(), "The schema of the database is up to date.\n");
  await (await start({ dataDir, settings })).ready();
});
