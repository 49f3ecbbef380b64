import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createEgress } from "@berth/egress";
import {
  type NpmRegistry,
  programThatPrints,
  startNpmRegistry,
} from "../../../../tests/npm-registry/npm-registry.ts";
import { createBubblewrapEngine } from "../bubblewrap/bubblewrap-engine.ts";
import type { SandboxEngine } from "../interface/sandbox.ts";
import type { PreparedRuntimes, RuntimeStoreOptions } from "./runtime-store.ts";
import { RuntimeStore } from "./runtime-store.ts";

const signal = new AbortController().signal;

describe("runtime store", () => {
  let directory: string;
  let npm: NpmRegistry;
  let engine: SandboxEngine;
  let closeEgress: () => Promise<void>;
  let count = 0;
  const log: string[] = [];

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "berth-runtimes-"));
    npm = await startNpmRegistry(directory);
    const certificates = [await readFile(npm.caFile, "utf8")];
    const egress = await createEgress({ allowPrivate: [npm.host] });
    closeEgress = egress.close;
    const instance = `runtimes-${process.pid}`;
    engine = await createBubblewrapEngine({
      instance,
      stateDir: join(directory, "state"),
      egress,
      certificates,
    });
    for (const version of ["20.1.0", "22.1.0"])
      await npm.publish("node-linux", version, programThatPrints("bin/node", `node ${version}`));
    await npm.publish("npm", "10.1.0", programThatPrints("bin/npm-cli.js", "npm 10.1.0"));
    await npm.publish("bun", "1.4.0", programThatPrints("bin/bun", "bun 1.4.0"));
  });
  after(async () => {
    await engine.close();
    await closeEgress();
    await npm.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const open = async (options: Partial<RuntimeStoreOptions> = {}) =>
    await RuntimeStore.open({
      directory: join(directory, `store-${count++}`),
      engine,
      log: (line) => log.push(line),
      ...options,
    });

  /** A release of packages of the registry, whose digests are those of now. */
  const release = (
    runtime: string,
    version: string,
    archives: readonly (readonly [name: string, version: string, into?: string, programs?: object])[],
  ) => ({
    ...{ runtime, version, title: `${runtime} ${version}` },
    contents: {
      from: "archives" as const,
      hosts: [],
      archives: archives.map(([name, of, into = "", programs = {}]) => ({
        url: `${npm.url}/${name}/-/${of}.tgz`,
        digest: `sha256-${npm.sha256Of(name, of)}`,
        ...{ into, strip: 1, programs: programs as Record<string, string> },
      })),
    },
  });
  const node = (version: string) =>
    release("node", version, [
      ["node-linux", version],
      ["npm", "10.1.0", "lib/node_modules/npm", { npm: "bin/npm-cli.js" }],
    ]);
  const bun = () =>
    release("bun", "1.4.0", [["bun", "1.4.0", "lib/bun", { bun: "bin/bun", bunx: "bin/bun" }]]);

  const run = async (prepared: PreparedRuntimes, script: string) => {
    const sandbox = await engine.open({
      id: `uses_${count++}`,
      disk: join(directory, `disk-${count}`),
      uid: process.getuid?.() === 0 ? 71_000 : (process.getuid?.() ?? 0),
      limits: { memoryBytes: 512 * 1024 ** 2, pids: 128, cpus: 1, diskBytes: null },
      egress: { mode: "limited", hosts: [] },
      files: [],
      writable: [],
      directories: prepared.directories,
    });
    const { exitCode, output } = await sandbox.run({ script, timeoutMs: 60_000 });
    await sandbox.close();
    return { exitCode, text: Buffer.from(output).toString().trim() };
  };

  test("several at once come first on the PATH, read-only; the second use needs no network", async () => {
    const store = await open();
    const prepared = await store.prepare({ releases: [node("22.1.0"), bun()], rootFilesystem: null, signal });
    assert.deepEqual(prepared.missing, []);
    const { text } = await run(
      prepared,
      "which node npm bunx; node; npm; bun; touch /opt/runtimes/x /mnt/session/bin/x; ls /opt/runtimes",
    );
    const lines = text.split("\n");
    assert.deepEqual(lines.slice(0, 6), [
      ...["/mnt/session/bin/node", "/mnt/session/bin/npm", "/mnt/session/bin/bunx"],
      ...["node 22.1.0", "npm 10.1.0", "bun 1.4.0"],
    ]);
    assert.match(text, /\/opt\/runtimes\/x.*Read-only/);
    assert.match(text, /\/mnt\/session\/bin\/x.*Read-only/);
    // Which other versions there are is not shown where sandboxes run as another user.
    if (process.getuid?.() === 0) assert.match(text, /ls: .*\/opt\/runtimes.*Permission denied/);
    prepared.release();
    const asked = npm.requests.length;
    npm.off();
    const again = await store.prepare({ releases: [bun(), node("22.1.0")], rootFilesystem: null, signal });
    npm.on();
    assert.deepEqual(again.missing, []);
    assert.equal((await run(again, "node; bun")).text, "node 22.1.0\nbun 1.4.0");
    assert.equal(npm.requests.length, asked);
    await store.close();
  });

  test("Java has the directory of its JAVA_HOME, and a Python of an archive a pip of its own", async () => {
    const store = await open();
    await npm.publish("jdk", "21.0.1", {
      ...programThatPrints("jdk/bin/javac", "javac 21"),
      ...programThatPrints("jdk/bin/java", "java 21"),
      "jdk/release": "here",
    });
    // Has a pip only once its own wheels are installed, and names the directory where it was built.
    await npm.publish("cpython", "3.12.7", {
      "bin/python3":
        '#!/bin/sh\nlib=$(dirname "$0")/../pip\ncase $* in\n  "-m ensurepip"*) touch "$lib" ;;\n  "-m pip "*) [ -e "$lib" ] && echo "python $*" ;;\nesac\n',
      "bin/pip3": "#!/built/elsewhere/bin/python3\n",
    });
    const java = release("java", "21.0.1", [
      ["jdk", "21.0.1", "lib", { java: "jdk/bin/java", javac: "jdk/bin/javac" }],
    ]);
    const python = release("python", "3.12.7", [["cpython", "3.12.7"]]);
    const prepared = await store.prepare({ releases: [java, python], rootFilesystem: null, signal });
    assert.deepEqual(prepared.missing, []);
    const { JAVA_HOME: home = "" } = prepared.variables;
    assert.match(home, /^\/opt\/runtimes\/java-21\.0\.1-[0-9a-f]{8}\/home$/);
    const { text } = await run(
      prepared,
      `cat ${home}/release; echo; ${home}/bin/java; pip install x; pip3 --version`,
    );
    assert.equal(text, "here\njava 21\npython -m pip install x\npython -m pip --version");
    await store.close();
  });

  test("a sandbox that is open gets runtimes later: nothing before, then their programs, and shims for missing ones", async () => {
    const store = await open();
    const later = await store.prepareLater();
    const sandbox = await engine.open({
      id: `later_${count++}`,
      disk: join(directory, `disk-${count}`),
      uid: process.getuid?.() === 0 ? 71_000 : (process.getuid?.() ?? 0),
      limits: { memoryBytes: 512 * 1024 ** 2, pids: 128, cpus: 1, diskBytes: null },
      egress: { mode: "limited", hosts: [] },
      files: [],
      writable: [],
      directories: later.directories,
    });
    const output = async (script: string) =>
      Buffer.from((await sandbox.run({ script, timeoutMs: 60_000 })).output)
        .toString()
        .trim();
    assert.equal(
      await output("ls /mnt/session/bin; touch /mnt/session/bin/node 2>&1 | grep -c Read-only"),
      "1",
    );
    const missing = {
      runtime: "go",
      title: "Go 9",
      why: "no",
      sentence: "go 9 (from 'go.mod' line 1) is not here",
    };
    const prepared = await store.prepare({
      ...{ releases: [node("22.1.0")], rootFilesystem: null, absent: [missing], signal },
    });
    await later.give(prepared);
    assert.equal(
      await output("which node; node; go; echo $?"),
      `/mnt/session/bin/node\nnode 22.1.0\n${missing.sentence}\n127`,
    );
    await sandbox.close();
    prepared.release();
    await later.remove();
    assert.deepEqual(
      (await readdir(later.directories[0]?.source.replace(/\/trees$/, "") ?? "")).filter((name) =>
        name.startsWith("later"),
      ),
      [],
    );
    await store.close();
  });

  test("requests for one version at once share its build, and sessions with other versions do not see it", async () => {
    const store = await open();
    const before = npm.requests.length;
    const both = await Promise.all(
      ["20.1.0", "20.1.0"].map((version) =>
        store.prepare({ releases: [node(version)], rootFilesystem: null, signal }),
      ),
    );
    assert.equal(npm.requests.length - before, 2);
    assert.deepEqual(both[0]?.directories, both[1]?.directories);
    const other = await store.prepare({ releases: [node("22.1.0")], rootFilesystem: null, signal });
    for (const [prepared, expected] of [
      [both[0], "node 20.1.0"],
      [other, "node 22.1.0"],
    ] as const) {
      assert.ok(prepared);
      assert.equal((await run(prepared, "node")).text, expected);
    }
    await store.close();
  });

  test("another digest, a program that does not work, a host that does not answer → the program says why", async () => {
    const own = join(directory, `store-${count}`);
    const store = await open();
    await npm.publish("changed", "1.0.0", programThatPrints("bin/deno", "deno"));
    const changed = release("deno", "1.0.0", [["changed", "1.0.0"]]);
    npm.tamper("changed", "1.0.0");
    await npm.publish("broken", "1.0.0", { "bin/yarn": "#!/bin/sh\necho it is broken >&2\nexit 3\n" });
    const broken = release("yarn", "1.0.0", [["broken", "1.0.0"]]);
    const unknown = release("pnpm", "9.0.0", [["nothing", "9.0.0"]]);
    const prepared = await store.prepare({
      releases: [changed, broken, unknown, bun()],
      rootFilesystem: null,
      absent: [{ runtime: "uv", title: "uv 1.0.0", why: "it is 'not' for $HOME" }],
      signal,
    });
    assert.equal(prepared.missing.length, 4);
    for (const [program, why] of [
      [
        "deno",
        /^deno 1\.0\.0 could not be installed: the file at https:.*1\.0\.0\.tgz has another digest than sha256 /,
      ],
      ["yarn", /^yarn 1\.0\.0 could not be installed: it is broken\.$/],
      ["pnpm", /^pnpm 9\.0\.0 could not be installed: curl: .*404/],
      ["uvx", /^uv 1\.0\.0 could not be installed: it is 'not' for \$HOME\.$/],
    ] as const) {
      const { exitCode, text } = await run(prepared, `${program} --version`);
      assert.equal(exitCode, 127);
      assert.match(text, why);
    }
    assert.equal((await run(prepared, "bun")).text, "bun 1.4.0");
    assert.deepEqual(await readdir(join(own, "trees")), [prepared.trees[0]]);
    await store.close();
  });

  test("an archive with paths above, links and rights of its own → nothing outside its tree, and no such rights", async () => {
    const store = await open();
    const source = join(directory, "hostile");
    await mkdir(join(source, "package/bin"), { recursive: true });
    await writeFile(join(source, "package/bin/go"), "#!/bin/sh\necho go\n", { mode: 0o4755 });
    execFileSync("chmod", ["6777", join(source, "package/bin/go")]);
    await writeFile(join(source, "escape"), "outside");
    const pack = (name: string, ...options: string[]) => {
      const file = join(directory, `${name}.tgz`);
      execFileSync("tar", ["-czPf", file, "-C", source, ...options]);
      return readFile(file);
    };
    npm.publishArchive("rights", "1.0.0", await pack("rights", "package"));
    npm.publishArchive(
      "above",
      "1.0.0",
      await pack("above", "--transform=s,^escape,package/../../escape,", "package", "escape"),
    );
    execFileSync("ln", ["-s", "/etc", join(source, "linked")]);
    npm.publishArchive(
      "linked",
      "1.0.0",
      await pack("linked", "--transform=s,^linked,package/bin,", "linked"),
    );
    const deno = (name: string) => release("deno", "1.0.0", [[name, "1.0.0"]]);
    const made = await store.prepare({
      releases: [{ ...deno("rights"), runtime: "go2" }],
      rootFilesystem: null,
      signal,
    });
    // Its check asks for a program that it does not have.
    assert.equal(made.missing.length, 1);
    await writeFile(join(source, "package/bin/deno"), "#!/bin/sh\necho deno\n");
    execFileSync("chmod", ["6777", join(source, "package/bin/deno")]);
    npm.publishArchive("rights", "1.0.0", await pack("rights", "package"));
    const right = await store.prepare({ releases: [deno("rights")], rootFilesystem: null, signal });
    const { text } = await run(right, "stat -L -c %a $(command -v deno); deno");
    assert.equal(text, "755\ndeno");
    for (const name of ["above", "linked"]) {
      const { missing, trees } = await store.prepare({
        releases: [deno(name)],
        rootFilesystem: null,
        signal,
      });
      assert.deepEqual([missing.length, trees.length], [1, 0], name);
    }
    assert.ok(!existsSync(join(directory, "escape")));
    await store.close();
  });

  test("sweep: unused trees and unfinished builds go, never one that a sandbox uses", async () => {
    const own = join(directory, `store-${count}`);
    const store = await open({ unusedMs: 0 });
    const used = await store.prepare({ releases: [bun()], rootFilesystem: null, signal });
    const unused = await store.prepare({ releases: [node("20.1.0")], rootFilesystem: null, signal });
    unused.release();
    unused.release();
    await mkdir(join(own, "trees", "node-1.0.0-00000000.making"));
    await store.sweep();
    assert.deepEqual(await readdir(join(own, "trees")), used.trees);
    assert.equal((await run(used, "bun")).text, "bun 1.4.0");
    used.release();
    await store.sweep();
    assert.deepEqual(await readdir(join(own, "trees")), []);
    const again = await store.prepare({ releases: [bun()], rootFilesystem: null, signal });
    assert.equal((await run(again, "bun")).text, "bun 1.4.0");
    await store.close();
    await assert.rejects(
      store.prepare({ releases: [node("22.1.0")], rootFilesystem: null, signal }),
      /no more runtimes are made/,
    );
    const { directories } = await (await open({ directory: own })).prepare({
      releases: [bun()],
      rootFilesystem: null,
      signal,
    });
    assert.equal(directories.length, 2);
  });

  test("a request that ends does not end the build for others", async () => {
    const store = await open();
    const ends = new AbortController();
    const first = store.prepare({ releases: [node("22.1.0")], rootFilesystem: null, signal: ends.signal });
    const second = store.prepare({ releases: [node("22.1.0")], rootFilesystem: null, signal });
    ends.abort(new Error("not needed"));
    await assert.rejects(first, /not needed/);
    assert.deepEqual((await second).missing, []);
    await store.close();
  });
});
