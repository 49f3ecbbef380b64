// Subject: which modules are loaded for which store.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

/** Makes modules resolve as in an installation without the AWS SDK. */
const WITHOUT_SDK = `import { registerHooks } from "node:module";
  registerHooks({
    resolve(name, context, next) {
      if (!name.startsWith("@aws-sdk/")) return next(name, context);
      throw Object.assign(new Error("Cannot find package '" + name + "'"), { code: "ERR_MODULE_NOT_FOUND" });
    },
  });`;

for (const [blobs, said] of [
  ["disk", /^opened\n$/],
  [
    "s3://bucket",
    /^BERTH_BLOBS names a bucket, which needs the package @aws-sdk\/client-s3: install it beside Berth with 'npm install @aws-sdk\/client-s3@3'\.\n$/,
  ],
] as const)
  test(`without the AWS SDK: contents in ${blobs}`, (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), "berth-open-"));
    t.after(() => rmSync(dataDir, { recursive: true }));
    const config = JSON.stringify({ dataDir, blobs, blobCacheMb: 1 });
    const program = `const { openBlobs } = await import(${JSON.stringify(import.meta.resolve("./open-blobs.ts"))});
      console.log(await openBlobs(${config}, {}).then(() => "opened", (error) => error.message));`;
    const hooks = `data:text/javascript,${encodeURIComponent(WITHOUT_SDK)}`;
    const args = ["--import", hooks, "--input-type=module", "--eval", program];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    assert.match(stdout, said, stderr);
  });
