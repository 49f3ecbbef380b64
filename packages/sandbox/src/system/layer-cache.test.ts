import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { createEgress } from "@berth/egress";
import { released } from "../../test-support/conformance/loop-devices.ts";
import { testRootFilesystem } from "../../test-support/system.ts";
import { createBubblewrapEngine } from "../bubblewrap/bubblewrap-engine.ts";
import { diskLimit } from "../bubblewrap/probe.ts";
import type { SandboxEngine } from "../interface/sandbox.ts";
import { LayerCache, type LayerCacheOptions } from "./layer-cache.ts";
import { DEFAULT_LAYER_LIMITS } from "./layer-limits.ts";

const { path: rootFilesystem, skip } = await testRootFilesystem();
const limit = await diskLimit(tmpdir());
const noImages = limit.state !== "yes" && limit.detail;

describe("layer cache", { skip }, () => {
  let directory: string;
  let engine: SandboxEngine;
  let closeEgress: () => Promise<void>;
  let count = 0;
  const log: string[] = [];

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "berth-layers-"));
    const egress = await createEgress();
    closeEgress = egress.close;
    const instance = `layers-${process.pid}`;
    engine = await createBubblewrapEngine({
      instance,
      stateDir: join(directory, "state"),
      egress,
      certificates: [],
    });
  });
  after(async () => {
    await engine.close();
    await closeEgress();
    await rm(directory, { recursive: true, force: true });
  });

  const newCache = (options: Partial<LayerCacheOptions> = {}): LayerCache =>
    new LayerCache({
      directory: join(directory, `cache-${count++}`),
      engine,
      log: (line) => log.push(line),
      ...options,
    });

  const small = { ...DEFAULT_LAYER_LIMITS, milliseconds: 120_000, bytes: 8 * 1024 ** 2, spared: 0 };

  const plan = (script: string, name = "test things") => ({
    name,
    script,
    environment: { HOME: "/root" },
    egress: { mode: "limited" as const, hosts: [] },
  });

  function request(scripts: readonly string[], tenant = "one", signal = new AbortController().signal) {
    return { rootFilesystem, plans: scripts.map((script) => plan(script)), tenant, signal };
  }

  async function inside(layers: readonly string[], script: string): Promise<string> {
    const sandbox = await engine.open({
      id: `t${count++}`,
      disk: join(directory, `disk-${count}`),
      uid: 72_000,
      limits: { memoryBytes: 512 * 1024 ** 2, pids: 64, cpus: 1, diskBytes: null },
      egress: { mode: "limited", hosts: [] },
      files: [],
      writable: [],
      system: { rootFilesystem, layers },
    });
    const { output } = await sandbox.run({ script, timeoutMs: 60_000 });
    await sandbox.close();
    return Buffer.from(output).toString().trim();
  }

  test("prepare: two requests for the same layers → one build each, in order, and another tenant gets its own", async () => {
    const cache = newCache();
    const scripts = [
      "echo low >/opt/low; rm /usr/bin/jq; id -u >/etc/who",
      "echo high >/etc/high; cat /opt/low >>/etc/high",
    ];
    log.length = 0;
    const [first, second] = await Promise.all([
      cache.prepare(request(scripts)),
      cache.prepare(request(scripts)),
    ]);
    assert.deepEqual(first.paths, second.paths);
    assert.equal(log.filter((line) => line.startsWith("building a layer")).length, 2);
    const output = await inside(
      first.paths,
      "cat /etc/high /opt/low /etc/who; command -v jq || echo gone; ls -A /root /srv 2>&1 | wc -l",
    );
    assert.equal(output, "high\nlow\nlow\n0\ngone\n2");
    assert.equal(await inside([], "ls /etc/high /opt/low 2>/dev/null; command -v jq"), "/usr/bin/jq");
    const others = await cache.prepare(request(scripts.slice(0, 1), "two"));
    assert.notEqual(others.paths[0], first.paths[0]);
    const again = await cache.prepare(request(scripts));
    assert.deepEqual(again.paths, first.paths);
    assert.equal(log.filter((line) => line.startsWith("building a layer")).length, 3);
    await cache.close();
  });

  test("prepare: a script fails or takes too long → the failure has the end of its output, nothing is left, and the next request tries again", async () => {
    const path = join(directory, "failing");
    const cache = new LayerCache({ directory: path, engine, limits: small, log: () => {} });
    const failing = request(["true", "echo one; echo the last words >&2; exit 7", "true"]);
    const failed = await cache.prepare(failing);
    assert.equal(failed.paths.length, 1);
    assert.equal(failed.failed?.failure.why, "it ended with exit code 7");
    assert.match(failed.failed?.failure.output ?? "", /the last words$/);
    assert.equal((await cache.prepare(failing)).failed?.failure.why, "it ended with exit code 7");
    const hasty = { ...small, milliseconds: 6_000 };
    const hurried = new LayerCache({ directory: path, engine, limits: hasty, log: () => {} });
    const slow = await hurried.prepare(request(["sleep 600"]));
    assert.match(slow.failed?.failure.why ?? "", /longer than 0.1 minutes/);
    await hurried.close();
    const nowhere = await cache.prepare({ ...request(["true"]), rootFilesystem: join(directory, "absent") });
    assert.equal(nowhere.failed?.failure.why, "this machine could not build it");
    assert.equal((await readdir(path)).length, 1);
    await cache.close();
  });

  test("prepare: a part could be installed → the layer has it, higher ones are built, and the rest is told and tried again later", async () => {
    const options = { directory: join(directory, "partial"), engine, log: () => {} };
    const script = "echo part >>/opt/part; echo why; echo not installed: a b; exit 75";
    const partly = request([script, "cat /opt/part >/opt/above"]);
    const plans = partly.plans.map((one, at) => (at === 0 ? { ...one, partialExitCode: 75 } : one));
    const cache = new LayerCache(options);
    for (let requests = 0; requests < 2; requests++) {
      const { paths, failed, partial, release } = await cache.prepare({ ...partly, plans });
      assert.equal(failed, null);
      assert.deepEqual(
        partial.map(({ failure: { missing, output } }) => [missing, output]),
        [[["a", "b"], "why"]],
      );
      assert.equal(await inside(paths, "cat /opt/part /opt/above"), "part\npart");
      release();
    }
    const built: string[] = [];
    const later = new LayerCache({ ...options, partialMs: 0, log: (line) => built.push(line) });
    assert.equal((await later.prepare({ ...partly, plans })).partial.length, 1);
    assert.ok(built.includes("the layer test things is ready without a, b"), built.join());
    const whole = await later.prepare(request([`${script} # all or nothing`]));
    assert.equal(whole.failed?.failure.why, "it ended with exit code 75");
    await Promise.all([cache.close(), later.close()]);
  });

  test("prepare: a script fills its disk by bytes, files or deleted files → that failure, and nothing is left", {
    skip: noImages,
  }, async () => {
    const path = join(directory, "filling");
    const cache = new LayerCache({ directory: path, engine, limits: small, log: () => {} });
    const fills = [
      "head -c 64M /dev/urandom >/opt/large",
      "head -c 64M /dev/urandom >/opt/large; true",
      "mkdir /opt/many; cd /opt/many; seq 9000 | xargs touch 2>/dev/null",
      "head -c 64M /dev/zero >/data/beside",
    ];
    const why = "it filled its disk, which holds 8 MiB and 2048 files";
    for (const fill of fills) {
      const { failed } = await cache.prepare(request([fill]));
      assert.equal(failed?.failure.why, why, fill);
      assert.deepEqual(await readdir(path), []);
      await released(path);
    }
    const hasty = { ...small, milliseconds: 10_000 };
    const hurried = new LayerCache({ directory: path, engine, limits: hasty, log: () => {} });
    const late = await hurried.prepare(request(["head -c 64M /dev/urandom >/opt/large; sleep 600"]));
    assert.equal(late.failed?.failure.why, why, "it also took too long");
    await hurried.close();
    await released(path);
    const deleted = await cache.prepare(
      request(["exec 3>/opt/deleted; rm /opt/deleted; head -c 64M /dev/zero >&3"]),
    );
    assert.match(deleted.failed?.failure.output ?? "", /No space left on device$/);
    assert.deepEqual(await readdir(path), []);
    const { failed, paths } = await cache.prepare(
      request(["head -c 4M /dev/urandom >/opt/large; echo here >/opt/small"]),
    );
    assert.equal(failed, null);
    assert.equal(await inside(paths, "stat -c %s /opt/large; cat /opt/small"), "4194304\nhere");
    assert.deepEqual(await readdir(join(paths[0] ?? "", "../..")), ["changes"]);
    await cache.close();
  });

  test("prepare: replaced directories, links, pipes, owners, times, deletions and holes → the layer has them all", {
    skip: noImages,
  }, async () => {
    const cache = newCache();
    const { paths } = await cache.prepare(
      request([
        "rm -r /usr/share/perl5 && mkdir -m 775 /usr/share/perl5 && echo new >/usr/share/perl5/new",
        "ln /usr/share/perl5/new /usr/share/perl5/twin; ln -s new /usr/share/perl5/link; mkfifo /opt/pipe; chown 7:8 /opt/pipe; touch -d 2001-02-03T04:05:06Z /opt/old /opt/pipe; rm /usr/bin/jq; truncate -s 1T /opt/holes",
      ]),
    );
    const look = `cd /usr/share/perl5; stat -c '%a %h' . new; ls; readlink link; stat -c '%F %u %Y' /opt/pipe /opt/old; command -v jq; stat -c '%s %b' /opt/holes`;
    assert.deepEqual((await inside(paths, look)).split("\n"), [
      ...["775 1", "644 2", "link", "new", "twin", "new"],
      ...["fifo 65534 981173106", "regular empty file 65534 981173106", "1099511627776 0"],
    ]);
    await cache.close();
  });

  test("prepare: the engine cannot limit disks → the size is measured, and the log says so", async () => {
    const path = join(directory, "counted");
    const lines: string[] = [];
    const counting: SandboxEngine = {
      name: "counting",
      probe: async () => [],
      open: (spec) => engine.open(spec),
      diskBytes: async () => null,
      takeChanges: (disk, to, signal) => engine.takeChanges(disk, to, signal),
      takeSnapshotChanges: (disk, target, to, signal) => engine.takeSnapshotChanges(disk, target, to, signal),
      sweep: (mayLive) => engine.sweep(mayLive),
      close: async () => {},
    };
    const cache = new LayerCache({
      directory: path,
      engine: counting,
      limits: small,
      log: (line) => lines.push(line),
    });
    const large = await cache.prepare(request(["head -c 64M /dev/urandom >/opt/large; sleep 600"]));
    assert.match(large.failed?.failure.why ?? "", /^it takes more than 8 MiB or 400000 files$/);
    assert.deepEqual(await readdir(path), []);
    const { paths } = await cache.prepare(request(["rm /usr/bin/jq; echo here >/opt/word"]));
    assert.equal(await inside(paths, "cat /opt/word; command -v jq"), "here");
    assert.equal(lines.filter((line) => line.includes("is only measured")).length, 2);
    await cache.close();
  });

  test("prepare: a deleted file that is open grows → the build ends before the machine has no space left", async () => {
    const { bavail, bsize } = await statfs(directory);
    const limits = {
      ...DEFAULT_LAYER_LIMITS,
      milliseconds: 120_000,
      spared: bavail * bsize - 200 * 1024 ** 2,
    };
    const cache = newCache({ limits });
    const script = "exec 3>/opt/big; rm /opt/big; while sleep 0.05; do head -c 20M /dev/zero >&3; done";
    const { failed } = await cache.prepare(request([script]));
    assert.equal(failed?.failure.why, "this machine's disk has too little space left");
    await cache.close();
  });

  test("prepare: no sandbox can be opened over a layer → it fails, and a later request builds another", async () => {
    const cache = newCache();
    const { paths, failed } = await cache.prepare(request(["true", "rm /usr/bin/dash", "true"]));
    assert.equal(failed?.failure.why, "no sandbox can be opened on its result");
    assert.match(failed?.failure.output ?? "", /\/bin\/sh/);
    assert.equal(await inside(paths, "echo here"), "here");
    const good = await cache.prepare(request(["true", "rm /usr/bin/jq"]));
    assert.deepEqual(
      [good.failed, (await readdir(join(good.paths[1] ?? "", "../.."))).sort()],
      [null, ["changes"]],
    );
    await cache.close();
  });

  test("prepare during a sweep that deletes unfinished builds of the same layers → the layers are complete", async () => {
    const path = join(directory, "left");
    const requests = ["one", "two", "three"].map((word) => request([`sleep 1; echo ${word} >/opt/word`]));
    const first = new LayerCache({ directory: path, engine, log: () => {} });
    await Promise.all(requests.map((one) => first.prepare(one)));
    await first.close();
    const names = (await readdir(path)).sort();
    for (const name of names) await rename(join(path, name), join(path, `${name}.making`));
    const others = Array.from({ length: 100 }, (_, n) => join(path, `${n}.making`));
    for (const other of others) mkdirSync(other);
    const cache = new LayerCache({ directory: path, engine, log: () => {} });
    const swept = cache.sweep();
    // By then the sweep has listed the directory and removed some of the entries.
    for (let looks = 0; looks < 100_000 && others.every((path) => existsSync(path)); looks++)
      await setImmediate();
    const layers = await Promise.all(requests.map((one) => cache.prepare(one)));
    await swept;
    assert.deepEqual(
      layers.map(({ failed }) => failed),
      [null, null, null],
    );
    assert.equal(await inside(layers[1]?.paths ?? [], "cat /opt/word"), "two");
    assert.deepEqual((await readdir(path)).sort(), names);
    await cache.close();
  });

  test("sweep: unused for too long, or too many bytes → unused layers are deleted, used ones stay", async () => {
    const path = join(directory, "sweeping");
    const cache = new LayerCache({ directory: path, engine, log: () => {}, unusedMs: 0 });
    const used = await cache.prepare(request(["echo used >/opt/used"]));
    const unused = await cache.prepare(request(["echo unused >/opt/unused"]));
    unused.release();
    unused.release();
    await mkdir(join(path, "dead.making/changes"), { recursive: true });
    await cache.sweep();
    assert.ok(existsSync(used.paths[0] ?? ""));
    assert.equal((await readdir(path)).length, 1);
    used.release();
    await cache.sweep();
    assert.deepEqual(await readdir(path), []);
    const crowded = new LayerCache({ directory: path, engine, log: () => {}, maxBytes: 1 });
    (await crowded.prepare(request(["echo again >/opt/used"]))).release();
    await crowded.sweep();
    assert.deepEqual(await readdir(path), []);
  });

  test("prepare: the signal aborts → only that wait ends; close → the build ends and prepare rejects", async () => {
    const path = join(directory, "ending");
    const cache = new LayerCache({ directory: path, engine, log: () => {} });
    const waiting = new AbortController();
    const impatient = cache.prepare(request(["sleep 600"], "one", waiting.signal));
    const patient = cache.prepare(request(["sleep 600"]));
    waiting.abort(new Error("enough"));
    await assert.rejects(impatient, /enough/);
    const ended = assert.rejects(patient, /no more layers are built/);
    await cache.close();
    await ended;
    assert.deepEqual(await readdir(path), []);
    await assert.rejects(cache.prepare(request(["true"])), /no more layers are built/);
  });
});
