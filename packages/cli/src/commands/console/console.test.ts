import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { berth } from "../../../test-support/berth.ts";
import { type Installation, sharedInstallation } from "../../../test-support/installation.ts";

let service: Installation;
before(async () => {
  service = await sharedInstallation();
});
after(() => service.stop());

const LINK = /^http:\/\/127\.0\.0\.1:\d+\/console\/sign-in#code=[\w-]{43}$/;

test("console: prints a link, and opens it by a file that only the user can read", async (t) => {
  const bin = join(service.dir, "bin");
  mkdirSync(bin);
  t.after(() => rmSync(bin, { recursive: true }));
  // Replaces the desktop's program: it records its arguments.
  writeFileSync(
    join(bin, "xdg-open"),
    `#!/bin/sh\nprintf '%s' "$*" > '${bin}/part'\nmv '${bin}/part' '${bin}/opened'\n`,
  );
  chmodSync(join(bin, "xdg-open"), 0o755);
  const home = join(service.dir, "config");
  const env = { ...service.env, PATH: `${bin}:${process.env.PATH}`, XDG_CONFIG_HOME: home, DISPLAY: ":99" };
  const seen = new Promise<void>((resolve) => {
    const watcher = watch(bin, (_event, name) => {
      if (name !== "opened") return;
      watcher.close();
      resolve();
    });
  });
  const { code, stdout, stderr } = await berth(["console"], { env });
  assert.equal(code, 0, stderr);
  const url = stdout.trim();
  assert.match(url, LINK);
  assert.equal(stderr, "The link is opened in your browser. It works once, within 60 seconds.\n");
  await seen;
  const opened = readFileSync(join(bin, "opened"), "utf8");
  assert.ok(!opened.includes("code="), opened);
  const file = fileURLToPath(opened);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.ok(readFileSync(file, "utf8").includes(`content="0; url=${url}"`));

  const only = await berth(["console", "--no-open"], { env: { ...env, PATH: process.env.PATH ?? "" } });
  assert.equal(only.stderr, "The link works once, within 60 seconds.\n");
  assert.notEqual(only.stdout.trim(), url);
});

test("console: without a screen, or a place for the file, the link alone; as data", async () => {
  const without = await service.run(["console"]);
  assert.deepEqual([without.code, without.stderr], [0, "The link works once, within 60 seconds.\n"]);
  assert.match(without.stdout.trim(), LINK);
  const env = { ...service.env, DISPLAY: ":99", XDG_CONFIG_HOME: "/dev/null" };
  assert.match((await berth(["console"], { env })).stderr, /^The link works once/);
  const data = await service.json("console");
  assert.deepEqual([data.type, LINK.test(data.url)], ["console_link", true]);
  assert.equal(await service.done("console", "--quiet", "--no-open"), "");
});
