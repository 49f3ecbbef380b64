import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { Berth } from "../../tests/acceptance/harness/berth.ts";
import { childrenOf, commandOf } from "../../tests/crash/processes.ts";

const REPOSITORY = join(import.meta.dirname, "../..");
const MAIN = "packages/cli/src/main.ts";
const RUNNER = "packages/server/src/start/runner-process.ts";

/** The files that are needed to build and run the bundle, and to start the service. */
const PARTS = ["package.json", "bin", "packages", "script/bundle", "docs/guides"];

const root = checkout();
after(() => rmSync(root, { recursive: true }));

test("start: no bundle → the sources run", () => {
  assert.equal(isDue(), true);
  assert.equal(berth("--version").stdout, `${version()}\n`);
});

test("start: the bundle is of the present sources → it runs", () => {
  build();
  assert.equal(isDue(), false);
  appendFileSync(join(root, "packages/cli/dist/1/main.js"), '\nconsole.log("from the bundle");\n');
  assert.equal(berth("--version").stdout, `${version()}\nfrom the bundle\n`);
});

test("start: a source was edited since, whichever → the sources run", () => {
  appendFileSync(join(root, MAIN), '\nconsole.log("edited");\n');
  assert.equal(isDue(), true);
  assert.equal(berth("--version").stdout, `${version()}\nedited\n`);
  build();
  assert.deepEqual(bundles(), ["1", "2"]);
  assert.equal(berth("--version").stdout, `${version()}\nedited\n`);
  const path = join(root, RUNNER);
  writeFileSync(path, readFileSync(path, "utf8").replace("Opens what", "opens what"));
  assert.equal(isDue(), true);
});

test("build: a build that fails leaves the bundle before as it was, and none of its own", () => {
  build();
  const before = bundles();
  const former = readFileSync(join(root, MAIN), "utf8");
  appendFileSync(join(root, MAIN), "\nconst = 1;\n");
  const ran = spawnSync(process.execPath, [join(root, "script/bundle/build.ts")], { encoding: "utf8" });
  assert.equal(ran.status, 1);
  assert.match(ran.stderr, /main\.ts:\d+:6: ERROR/);
  assert.deepEqual(bundles(), before);
  writeFileSync(join(root, MAIN), former);
});

test("serve: its child processes are of the same bundle, and find the files beside their sources", async () => {
  build();
  const berth = await Berth.start({ binary: join(root, "bin/berth") });
  try {
    await berth.ready();
    const directory = join(root, "packages/cli/dist", bundles().at(-1) ?? "");
    const commands = childrenOf(berth.pid).map(commandOf);
    assert.ok(
      commands.some((command) => command.includes(`${directory}/runner-process.js`)),
      commands.join("\n"),
    );
    const document = await fetch(`${berth.url}/openapi.json`);
    assert.equal(document.status, 200);
  } finally {
    await berth.stop();
  }
});

test("a stack trace of the bundle names lines of the sources", () => {
  const path = join(root, RUNNER);
  appendFileSync(path, 'function planted() {\n  throw new Error("planted");\n}\nplanted();\n');
  build();
  const line = readFileSync(path, "utf8").split("\n").indexOf('  throw new Error("planted");') + 1;
  const program = join(root, "packages/cli/dist", bundles().at(-1) ?? "", "runner-process.js");
  const { stderr } = spawnSync(process.execPath, [program], { encoding: "utf8" });
  assert.ok(stderr.includes(`Error: planted\n    at planted (file://${path}:${line}:9)\n`), stderr);
});

/** Makes a checkout with the installed packages of this one. */
function checkout(): string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), "berth-bundle-")));
  const list = ["ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", ...PARTS];
  for (const file of execFileSync("git", list, { cwd: REPOSITORY, encoding: "utf8" }).split("\0")) {
    if (file === "") continue;
    mkdirSync(dirname(join(made, file)), { recursive: true });
    cpSync(join(REPOSITORY, file), join(made, file));
  }
  const modules = join(made, "node_modules");
  mkdirSync(join(modules, "@berth"), { recursive: true });
  for (const name of readdirSync(join(REPOSITORY, "node_modules")))
    if (name !== "@berth" && name !== ".cache")
      symlinkSync(join(REPOSITORY, "node_modules", name), join(modules, name));
  for (const name of readdirSync(join(made, "packages")))
    symlinkSync(join("../../packages", name), join(modules, "@berth", name));
  return made;
}

function build(): void {
  execFileSync(process.execPath, [join(root, "script/bundle/build.ts")]);
}

function isDue(): boolean {
  return spawnSync(process.execPath, [join(root, "script/bundle/build.ts"), "--check"]).status === 1;
}

function bundles(): string[] {
  return readdirSync(join(root, "packages/cli/dist"))
    .filter((name) => /^\d+$/.test(name))
    .sort();
}

function berth(...args: string[]): { stdout: string; stderr: string } {
  return spawnSync(join(root, "bin/berth"), args, { encoding: "utf8" });
}

function version(): string {
  return (JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8")) as { version: string }).version;
}
