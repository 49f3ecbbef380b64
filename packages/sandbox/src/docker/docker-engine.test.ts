import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { EgressDenied } from "@berth/egress";
import {
  type EngineKind,
  missingForEngine,
  TEST_IMAGE,
} from "../../../../tests/container-engine/container-engine.ts";
import { ok, sh } from "../../test-support/conformance/context.ts";
import { SHARED_LIMITS, startSubject, type TestSubject } from "../../test-support/docker-engine.ts";
import { ImageError } from "../interface/errors.ts";
import type { SandboxSpec } from "../interface/spec.ts";
import { Containers } from "./containers.ts";
import { createDockerEngine } from "./docker-engine.ts";
import { EngineClient } from "./engine-client.ts";

for (const kind of ["dockerd", "podman"] as const) engineTests(kind);

/** Tests what the docker engine does beyond the conformance suite. */
function engineTests(kind: EngineKind): void {
  const skip = missingForEngine(kind) ?? false;
  describe(`sandboxes by ${kind}`, { skip, timeout: 300_000 }, () => {
    let subject: TestSubject;
    let client: EngineClient;
    let web: Server;
    let disks: string;
    let count = 0;
    before(async () => {
      web = createServer((_, answer) => answer.end("hello\n")).listen(0, "127.0.0.1");
      await once(web, "listening");
      subject = await startSubject(kind, ["127.0.0.1"]);
      client = await EngineClient.connect(subject.socket);
      disks = join(subject.stateDir, "..", "disks");
    });
    after(async () => {
      web.close();
      await subject.close();
    });
    const spec = (overrides: Partial<SandboxSpec> = {}): SandboxSpec => ({
      id: `own_${++count}`,
      disk: join(disks, String(count)),
      uid: subject.uid,
      limits: { memoryBytes: 256 * 1024 * 1024, pids: 100, cpus: 1, diskBytes: null },
      egress: { mode: "limited", hosts: [] },
      files: [],
      writable: [],
      ...overrides,
    });
    const found = () => new Containers(client).list(subject.instance);

    test("close: no container, directory or process of a sandbox is left", async () => {
      const one = spec();
      const sandbox = await subject.engine.open(one);
      assert.deepEqual(
        (await found()).map((container) => container.sandbox),
        [one.id],
      );
      void sandbox.run({ script: "(setsid sleep 6543 &) ; sleep 6543", timeoutMs: 60_000 });
      await ok(sandbox, "until pgrep -f 'sleep 6543' >/dev/null; do sleep 0.02; done");
      await sandbox.close();
      assert.deepEqual(await found(), []);
      const [own = ""] = readdirSync(subject.stateDir);
      assert.deepEqual(
        readdirSync(join(subject.stateDir, own)).filter((name) => /^[0-9a-z]$/.test(name)),
        [],
      );
      assert.equal(processesOf("sleep 6543"), 0);
    });

    test("server is killed → its container ends, and a sweep removes that and nothing else", async () => {
      const living = await subject.engine.open(spec());
      const server = spawn(process.execPath, ["--input-type=module", "--eval", SERVER], {
        env: {
          ...process.env,
          OPTIONS: JSON.stringify({ ...subject, egress: undefined, engine: undefined, image: TEST_IMAGE }),
          SPEC: JSON.stringify(spec()),
        },
        stdio: ["ignore", "pipe", "inherit"],
      });
      await once(server.stdout, "data");
      const two = await found();
      assert.equal(two.length, 2);
      server.kill("SIGKILL");
      const dead = two.find((container) => container.sandbox === `own_${count}`);
      await ended(client, dead?.id ?? "");
      await subject.engine.sweep();
      assert.deepEqual(
        (await found()).map((container) => container.sandbox),
        [living.id],
      );
      assert.equal(readdirSync(subject.stateDir).length, 1);
      assert.equal(await ok(living, "echo alive"), "alive");
      await living.close();
    });

    test("egress: allowed hosts are reached, denied ones are reported", async () => {
      const { port } = web.address() as AddressInfo;
      const denied: EgressDenied[] = [];
      const sandbox = await subject.engine.open(
        spec({
          egress: { mode: "limited", hosts: [`allowed.localhost:${port}`] },
          onEgressDenied: (one) => denied.push(one),
        }),
      );
      const curl = `curl -sS -m 5 http://allowed.localhost:${port}/`;
      assert.equal(await ok(sandbox, curl), "hello");
      assert.notEqual((await sh(sandbox, "curl -sS -m 5 http://other.example/")).exitCode, 0);
      assert.notEqual((await sh(sandbox, `curl -sS -m 5 http://127.0.0.1:${port}/`)).exitCode, 0);
      assert.ok(denied.some(({ host, reason }) => host === "other.example" && reason === "not_allowed"));
      sandbox.setEgress({ mode: "limited", hosts: [] });
      assert.notEqual((await sh(sandbox, curl)).exitCode, 0);
      await sandbox.close();
    });

    test("image: the named one runs; a missing one is rejected with a sentence", async () => {
      const sandbox = await subject.engine.open(spec({ image: TEST_IMAGE }));
      assert.equal(await ok(sandbox, "echo runs"), "runs");
      await sandbox.close();
      await assert.rejects(subject.engine.open(spec({ image: "missing.example/none:1" })), (error) => {
        assert.ok(error instanceof ImageError);
        assert.match(error.message, /"missing\.example\/none:1" is not on/);
        return true;
      });
      assert.deepEqual(await found(), []);
    });

    test("limits: the limit that a command met is reported", async () => {
      const limits = { memoryBytes: 96 * 1024 * 1024, pids: 32, cpus: 1, diskBytes: null };
      const sandbox = await subject.engine.open(spec({ limits }));
      const hog = await sh(sandbox, "head -c 400000000 /dev/zero | tail", { maxOutputBytes: 1000 });
      assert.equal(hog.limit, "memory");
      const many = "for i in $(seq 60); do sleep 600 & done 2>/dev/null; true";
      const crowd = await sh(sandbox, many, { maxOutputBytes: 1000 });
      assert.equal(crowd.limit, "processes");
      assert.equal((await sh(sandbox, "echo alive")).limit, undefined);
      await sandbox.close();
    });

    test("open: a disk with a limit, snapshots or a root filesystem → rejected", async () => {
      const limits = { memoryBytes: 256 * 1024 * 1024, pids: 100, cpus: 1, diskBytes: 64 * 1024 * 1024 };
      const snapshot = { source: "/usr/share", uid: 66_000, target: "/data/t" };
      await assert.rejects(subject.engine.open(spec({ limits })), { name: "SandboxError" });
      await assert.rejects(subject.engine.open(spec({ snapshots: [snapshot] })), { name: "SandboxError" });
      assert.deepEqual(await found(), []);
    });

    test("all containers together have the common limits, and the buffers of sockets one of their own", async () => {
      const sandbox = await subject.engine.open(spec());
      const sleeping = sandbox.run({ script: "exec sleep 6544", timeoutMs: 60_000 });
      await ok(sandbox, "until pgrep -f 'sleep 6544' >/dev/null; do sleep 0.02; done");
      const pid = execFileSync("pgrep", ["-f", "^sleep 6544$"], { encoding: "utf8" }).trim();
      const groups = readFileSync(`/proc/${pid}/cgroup`, "latin1");
      assert.match(
        groups,
        new RegExp(`:memory:/berth-${subject.instance}/|^0::/berth-${subject.instance}/`, "m"),
      );
      for (const [controller, file, value] of [
        ["memory", "memory", SHARED_LIMITS.memoryBytes],
        ["pids", "pids.max", SHARED_LIMITS.pids],
      ] as const) {
        const [root, name] = existsSync(`/sys/fs/cgroup/${controller}`)
          ? [`/sys/fs/cgroup/${controller}`, file === "memory" ? "memory.limit_in_bytes" : file]
          : ["/sys/fs/cgroup", file === "memory" ? "memory.max" : file];
        assert.equal(Number(readFileSync(`${root}/berth-${subject.instance}/${name}`, "latin1")), value);
      }
      const own = /:memory:(.*)$/m.exec(groups)?.[1];
      if (own !== undefined)
        assert.equal(
          Number(readFileSync(`/sys/fs/cgroup/memory${own}/memory.kmem.tcp.limit_in_bytes`, "latin1")),
          16 * 1024 * 1024,
        );
      await sandbox.close();
      await sleeping;
    });

    test("probe: reports the engine and its capabilities", async () => {
      const told = new Map((await subject.engine.probe()).map((one) => [one.name, one]));
      assert.match(told.get("container_engine")?.detail ?? "", kind === "podman" ? /^Podman/ : /^Docker/);
      for (const name of [
        "default_image",
        "separate_user",
        "seccomp",
        "limit_memory",
        "limit_pids",
        "limit_cpu",
      ])
        assert.equal(told.get(name)?.state, "yes", JSON.stringify(told.get(name)));
      assert.equal(told.get("limit_together")?.state, "yes");
      for (const name of ["limit_disk", "snapshots"]) assert.equal(told.get(name)?.state, "degraded");
    });
  });
}

test("create: no container engine → the error names the socket", {
  skip: process.getuid?.() !== 0,
}, async () => {
  const options = { instance: "x", socket: "/nonexistent.sock", defaultImage: "x", stateDir: "/nonexistent" };
  const egress = { open: () => Promise.reject(new Error()), close: async () => {} };
  await assert.rejects(createDockerEngine({ ...options, egress, certificates: [] }), {
    name: "SandboxError",
    message: "No container engine responds at /nonexistent.sock (ENOENT).",
  });
});

/** Opens a sandbox, prints a line, and keeps running. */
const SERVER = `
import { createEgress } from ${JSON.stringify(import.meta.resolve("@berth/egress"))};
import { createDockerEngine } from ${JSON.stringify(new URL("./docker-engine.ts", import.meta.url).href)};
const { image: defaultImage, ...options } = JSON.parse(process.env.OPTIONS);
const egress = await createEgress({ poolSize: 0 });
const engine = await createDockerEngine({ ...options, defaultImage, egress, certificates: [] });
await engine.open(JSON.parse(process.env.SPEC));
console.log("open");
setInterval(() => {}, 1000);
`;

/** Waits until a container has ended. Podman cannot always tell the state of one that is ending. */
async function ended(client: EngineClient, id: string): Promise<void> {
  await client.call("POST", `/containers/${id}/wait?condition=not-running`);
}

function processesOf(words: string): number {
  const all = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
  return all.split("\n").filter((line) => line === words).length;
}
