import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { removeTree } from "@berth/linux";
import { released } from "../../../test-support/conformance/loop-devices.ts";
import { until } from "../../../test-support/conformance/until.ts";
import { imagePrograms, MIB, makeImage } from "../disk-image/disk-image.ts";
import { imageOf } from "../disk-image/disk-images.ts";
import { launchArguments } from "../launch/launch-program.ts";
import { diskLimit } from "../probe.ts";
import { takeChanges } from "./take-changes.ts";

const limit = await diskLimit(tmpdir());
const skip = limit.state !== "yes" && limit.detail;
const never = new AbortController().signal;

/** Makes a disk with a limit, with changes that a host script makes as a sandbox would. */
async function changed(t: TestContext, script: string): Promise<{ directory: string; disk: string }> {
  const directory = mkdtempSync(join(tmpdir(), "take-changes-"));
  t.after(async () => {
    await released(directory);
    rmSync(directory, { recursive: true });
  });
  const disk = join(directory, "disk");
  mkdirSync(disk);
  const programs = imagePrograms();
  assert.ok(typeof programs !== "string");
  await makeImage(programs, imageOf(disk), 64 * MIB);
  const make = `mkdir /mnt/upper; cd /mnt/upper; ${script}`;
  execFileSync("perl", launchArguments(["apart", "disk", imageOf(disk), "/mnt"], ["sh", "-ec", make]));
  return { directory, disk };
}

test("takeChanges: server is killed meanwhile → the next call takes all changes", { skip }, async (t) => {
  const { directory, disk } = await changed(t, "seq 12000 | xargs touch");
  const to = join(directory, "made/upper");
  const module = `
    import { takeChanges } from ${JSON.stringify(new URL("./take-changes.ts", import.meta.url).href)};
    await takeChanges(${JSON.stringify(disk)}, ${JSON.stringify(to)}, new AbortController().signal);`;
  const service = spawn(process.execPath, ["--input-type=module", "--eval", module], { stdio: "inherit" });
  await until(
    () => existsSync(to),
    () => "nothing is taken",
  );
  service.kill("SIGKILL");
  await once(service, "exit");
  await released(directory);
  await removeTree(join(directory, "made"));
  assert.equal(await takeChanges(disk, to, never), true);
  assert.equal(readdirSync(to).length, 12_000);
});

test("takeChanges: full disk or abort → nothing is taken", { skip }, async (t) => {
  const full = await changed(t, "head -c 100M /dev/zero >large || true");
  assert.equal(await takeChanges(full.disk, join(full.directory, "made/upper"), never), false);
  assert.deepEqual(readdirSync(join(full.directory, "made")), []);
  const stopped = AbortSignal.abort(new Error("enough"));
  await assert.rejects(takeChanges(full.disk, join(full.directory, "made/upper"), stopped), /enough/);
});

test("takeChanges: disk without a limit → its directory is moved", { skip }, async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "take-changes-"));
  t.after(() => rmSync(directory, { recursive: true }));
  mkdirSync(join(directory, "disk/upper/etc"), { recursive: true });
  assert.equal(await takeChanges(join(directory, "disk"), join(directory, "made/upper"), never), true);
  assert.deepEqual(readdirSync(join(directory, "made/upper")), ["etc"]);
});
