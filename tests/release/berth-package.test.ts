// Tests the package `berth` that script/release makes, used like its users do: outside the repository.
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { installedNode } from "./installed-node.ts";
import { ROOT, run } from "./run.ts";
import { sharedRelease } from "./shared-release.ts";

const MOST_MB = 200;
const QUIET = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
/** The path for npm's programs, with the Node.js that runs this test. */
const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
/** A module that makes the program see another system than Linux. */
const ELSEWHERE = "data:text/javascript,Object.defineProperty(process,'platform',{value:'darwin'})";

let temporary: string;
let packed: string;
/** An empty directory in which the README's lines have been run. */
let consumer: string;
let output: string;

before(async () => {
  temporary = await mkdtemp(join(tmpdir(), "berth-package-test-"));
  const release = sharedRelease();
  packed = join(release, globSync("berth-[0-9]*.tgz", { cwd: release })[0] ?? "");
  consumer = emptyPackage("consumer");
  const [, install = ""] =
    /^## Install$.*?^```sh\n(.*?)^```$/ms.exec(readFileSync(join(ROOT, "README.md"), "utf8")) ?? [];
  const lines = install
    .replace(/^npm install DIR\/\S+/m, `npm install ${QUIET.join(" ")} ${packed}`)
    .replace(/^npx berth up\b/m, "npx berth up --once --port 0");
  output = await run("bash", ["-ec", lines], consumer, { PATH, BERTH_ROOTFS: "host" });
});

after(() => rm(temporary, { recursive: true, force: true }));

test("README.md: npx berth up runs a first session to its commit on a git server", () => {
  assert.match(output, /\nThe git server has agent\/hello-\w+: [0-9a-f]{12} docs: an agent says hello/);
});

test(`an installation takes at most ${MOST_MB} MB, with the versions that the repository pins`, async () => {
  const [megabytes = ""] = (await run("du", ["-sm", "node_modules"], consumer)).split("\t");
  assert.ok(Number(megabytes) <= MOST_MB, `${megabytes} MB`);
  const berth = join(consumer, "node_modules/@berth/berth");
  const { dependencies } = JSON.parse(readFileSync(join(berth, "package.json"), "utf8"));
  const installed = packagesIn(join(consumer, "node_modules/.package-lock.json"));
  const direct = Object.entries(dependencies).map(([name, version]) => `${name}@${version}`);
  assert.deepEqual(
    direct.filter((name) => !installed.has(name)),
    [],
  );
  const pinned = packagesIn(join(ROOT, "package-lock.json"));
  const shrinkwrap = packagesIn(join(berth, "npm-shrinkwrap.json"));
  const other = [...shrinkwrap].filter((name) => !pinned.has(name));
  assert.deepEqual(other, []);
});

test("a Node.js that is too old: one sentence, and exit code 2", async () => {
  const node = await installedNode(temporary, 20);
  const { status, stderr } = spawnSync(node, [program(consumer), "--version"], { encoding: "utf8" });
  assert.equal(status, 2);
  assert.match(
    stderr,
    /^berth: Berth needs Node\.js 24 or later, and this is v20\.[^\n]*npm install node-linux-[^\n]*\n$/,
  );
});

test("berth serve: a session uses Bash, and the API, its reference and the guides are those of the repository", async (t) => {
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const berth = (...args: string[]) => run(process.execPath, [program(consumer), ...args], consumer);
  assert.equal(await berth("--version"), `${version}\n`);

  const dataDir = join(consumer, "data");
  const service = spawn(
    process.execPath,
    [program(consumer), "serve", "--port", "0", "--data-dir", dataDir],
    {
      env: { ...process.env, BERTH_ROOTFS: "host" },
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  t.after(async () => {
    const ended = service.exitCode === null && once(service, "exit");
    service.kill("SIGTERM");
    await ended;
  });
  const url = await listening(service);
  const token = (await berth("bootstrap", "--data-dir", dataDir, "--user", "you@example.com")).trim();
  const file = join(consumer, "token");
  writeFileSync(file, token, { mode: 0o600 });
  const steps = {
    steps: [{ tool: "Bash", input: { command: "echo $((6 * 7)) in $PWD" } }, { say: "Done." }],
  };
  const connection = ["--url", url, "--token-file", file];
  const said = await berth(
    "run",
    JSON.stringify(steps),
    "--model",
    "rehearsal/steps",
    "--keep",
    ...connection,
  );
  assert.match(said, /42 in \/data[\s\S]*Done\./);

  const served = async (path: string) => (await fetch(new URL(path, url))).text();
  const document = readFileSync(join(ROOT, "packages/contract/openapi.json"), "utf8");
  assert.deepEqual(JSON.parse(await served("/openapi.json")).paths, JSON.parse(document).paths);
  assert.match(await served("/docs/guides/files"), /<h1/);
  assert.equal((await fetch(new URL("/docs", url))).status, 200);

  const elsewhere = await installedFor("darwin", "arm64");
  const client = (...args: string[]) =>
    spawnSync(process.execPath, ["--import", ELSEWHERE, program(elsewhere), ...args], { encoding: "utf8" });
  const listed = client("sessions", "list", "--json", ...connection);
  assert.equal(JSON.parse(listed.stdout).data.length, 1, listed.stderr);
  for (const shell of ["bash", "zsh", "fish"])
    assert.match(client("completion", shell).stdout, new RegExp(`^# Completion .* in ${shell}\\.`, "im"));
  assert.match(client("complete", "--", "sessions", "get", ...connection, "").stdout, /^sess_\w+\t/);
  for (const name of ["up", "serve", "doctor"]) {
    const { status, stderr } = client(name);
    assert.equal(status, 2);
    assert.equal(
      stderr,
      `error: berth ${name} needs Linux. On this system, commands that call a Berth elsewhere work: set its URL with --url or BERTH_URL.\n`,
    );
  }
});

/** Makes an installation for another platform, and asserts that it has nothing for Linux only. */
async function installedFor(os: string, cpu: string): Promise<string> {
  const directory = emptyPackage(os);
  await run("npm", ["install", ...QUIET, `--os=${os}`, `--cpu=${cpu}`, packed], directory, { PATH });
  const foreign = globSync("node_modules/**/package.json", { cwd: directory }).filter((file) => {
    const manifest = JSON.parse(readFileSync(join(directory, file), "utf8"));
    return manifest.os !== undefined && ![manifest.os].flat().includes(os);
  });
  assert.deepEqual(foreign, []);
  return directory;
}

function emptyPackage(name: string): string {
  const directory = join(temporary, name);
  mkdirSync(directory);
  writeFileSync(join(directory, "package.json"), '{"private":true}');
  return directory;
}

function program(directory: string): string {
  return join(directory, "node_modules/.bin/berth");
}

/** Returns the packages in a lockfile as `name@version`. */
function packagesIn(lockfile: string): Set<string> {
  const { packages } = JSON.parse(readFileSync(lockfile, "utf8")) as {
    packages: Record<string, { version: string }>;
  };
  return new Set(
    Object.entries(packages)
      .filter(([path]) => path !== "")
      .map(([path, { version }]) => `${path.split("node_modules/").at(-1)}@${version}`),
  );
}

async function listening(service: ChildProcess): Promise<string> {
  if (service.stdout === null) throw new Error("The service has no output.");
  for await (const line of createInterface({ input: service.stdout })) {
    const url = /^berth: listening on (\S+)$/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error("The service ended before it listened.");
}
