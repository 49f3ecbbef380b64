// Subject: a process with the role egress, and sidecars in namespaces like those of pods. The test is the
// runner.
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, beforeEach, test } from "node:test";
import { connect as connectTls } from "node:tls";
import { promisify } from "node:util";
import { newUuid } from "@berth/contract";
import { type EgressPolicy, makeTunnelAuthority, signSidecar } from "@berth/egress";
import {
  openPodNetwork,
  type PodNetwork,
  type SidecarLine,
  type SidecarProcess,
  startSidecar,
  writeSidecar,
} from "@berth/egress/tunnelled";
import type { EgressTunnel } from "@berth/sandbox";
import { type Database, migrate, openDatabase } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import { resourceSecret, SecretBox } from "@berth/store/secrets";
import { silentLog } from "@berth/store/test-support/database";
import { type Seed, seed, seedLease, seedSession } from "@berth/store/test-support/runs";
import { freePort } from "../../../../tests/acceptance/harness/free-port.ts";
import { makeCertificates } from "../../../../tests/git-host/certificates.ts";
import { type PostgresServer, startPostgres } from "../../../../tests/postgres-server/postgres-server.ts";
import { placeholderOf } from "../credentials/session-secrets.ts";
import { sessionTunnel, type TunnelDeps } from "./session-tunnel.ts";
import { hostsCertificate, openTunnelParts } from "./tunnel-parts.ts";

const skip = process.getuid?.() === 0 ? false : "the network of a pod needs root";
const HOST = "app.localhost";
const SECRET = "the-secret-of-a-repository-4711";
const key = randomBytes(32);

let directory: string;
let postgres: PostgresServer;
let db: Database;
let secrets: SecretBox;
let from: Seed;
let upstream: Server;
let port: number;
let gatewayPort: number;
let gateway: ChildProcess;
let program: string;
let deps: TunnelDeps;
const received: { url: string; authorization: string }[] = [];
const pods: Pod[] = [];

before(async () => {
  if (skip !== false) return;
  directory = await mkdtemp(join(tmpdir(), "egress-role-"));
  program = await writeSidecar(directory);
  await writeFile(join(directory, "key"), key.toString("base64"), { mode: 0o600 });
  postgres = await startPostgres({ databases: ["berth"] });
  const address = { url: postgres.url("berth") };
  await migrate(address);
  db = openDatabase({ ...address, log: silentLog });
  secrets = new SecretBox(key);
  from = await seed(db.write);
  await db.write.query({ text: "update environments set credentials = 'proxy'" });
  const made = await makeCertificates(directory, [HOST]);
  upstream = createServer({ key: made.key, cert: made.certificate }, (request, response) => {
    received.push({ url: request.url ?? "", authorization: request.headers.authorization ?? "" });
    if (request.url === "/endless") response.write("x");
    else response.end("hello");
  }).listen(0, "127.0.0.1");
  await once(upstream, "listening");
  port = (upstream.address() as AddressInfo).port;
  gatewayPort = await freePort();
  gateway = await startGateway();
  deps = await openTunnelParts(db.write, secrets, { host: "localhost", port: gatewayPort });
});

after(async () => {
  if (skip !== false) return;
  await Promise.all(pods.map((pod) => pod.close()));
  if (gateway.kill("SIGTERM")) await once(gateway, "exit");
  upstream.closeAllConnections();
  upstream.close();
  await db.close();
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
});

beforeEach(() => {
  received.length = 0;
});

/** Starts the process, and returns it once it reports that it accepts tunnels. */
async function startGateway(): Promise<ChildProcess> {
  const berth = join(import.meta.dirname, "../../../../bin/berth");
  const settings = {
    BERTH_ROLE: "egress",
    BERTH_DATA_DIR: join(directory, "data"),
    BERTH_SECRET_KEY_FILE: join(directory, "key"),
    BERTH_DATABASE_URL: postgres.url("berth"),
    BERTH_EGRESS_ADDRESS: `0.0.0.0:${gatewayPort}`,
    BERTH_RUNNER_ADDRESS: "127.0.0.1:0",
    BERTH_EGRESS_ALLOW_PRIVATE: HOST,
    BERTH_GIT_CA_FILES: JSON.stringify([{ host: `${HOST}:${port}`, ca_file: join(directory, "ca.pem") }]),
    BERTH_LOG_LEVEL: "warn",
  };
  const child = spawn(berth, ["serve"], {
    env: { PATH: process.env.PATH, HOME: directory, ...settings },
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout })) if (/accepts tunnels/.test(line)) break;
  child.stdout.resume();
  return child;
}

/** A sandbox on another host: the network of a pod, and the sidecar in it. */
class Pod {
  readonly lines: SidecarLine[] = [];
  readonly tunnel: EgressTunnel;
  readonly #network: PodNetwork;
  readonly #news = new EventEmitter();
  readonly #started: SidecarProcess[] = [];
  sidecar: SidecarProcess;

  constructor(network: PodNetwork, tunnel: EgressTunnel) {
    this.#network = network;
    this.tunnel = tunnel;
    this.sidecar = this.start({ ...tunnel.settings, gateway: { host: network.hop, port: gatewayPort } });
    pods.push(this);
  }

  start(settings: object, epoch = this.tunnel.epoch): SidecarProcess {
    const sidecar = startSidecar(this.#network, program, { epoch, settings });
    createInterface({ input: sidecar.stdout }).on("line", (text) => {
      this.lines.push(JSON.parse(text));
      this.#news.emit("line");
    });
    this.#started.push(sidecar);
    this.sidecar = sidecar;
    return sidecar;
  }

  get gateway(): { host: string; port: number } {
    return { host: this.#network.hop, port: gatewayPort };
  }

  /** Resolves once the sidecar has printed such a line. */
  async said(found: (line: SidecarLine) => boolean): Promise<void> {
    while (!this.lines.some(found)) await once(this.#news, "line");
  }

  async curl(words: string): Promise<{ code: number; stdout: string }> {
    const [command = "", ...enter] = this.#network.enter;
    const script = `curl -sS -m 20 --cacert ${join(directory, "inside.pem")} ${words}`;
    try {
      const { stdout } = await promisify(execFile)(command, [...enter, "sh", "-c", script]);
      return { code: 0, stdout };
    } catch (error) {
      return { code: Number((error as { code?: unknown }).code), stdout: "" };
    }
  }

  async close(): Promise<void> {
    for (const sidecar of this.#started) sidecar.stdin.end();
    await this.#network.close();
  }
}

const policy = (hosts: string[]): EgressPolicy => ({ mode: "limited", hosts });

async function leasedSession(): Promise<Lease> {
  return await seedLease(db.write, await seedSession(db.write, from), "runner");
}

async function openPod(lease: Lease, hosts = [`${HOST}:${port}`]): Promise<Pod> {
  const own = await hostsCertificate(db.write, secrets);
  await writeFile(
    join(directory, "inside.pem"),
    `${own}${await readFile(join(directory, "ca.pem"), "utf8")}`,
  );
  const network = await openPodNetwork();
  await network.capture(network.hop, gatewayPort);
  const pod = new Pod(network, await sessionTunnel(deps, lease)(policy(hosts)));
  await pod.said(({ kind }) => kind === "policy");
  return pod;
}

/** Gives a session a repository with a secret. Returns the placeholder that its commands have. */
async function giveRepository({ sessionId }: Lease): Promise<string> {
  const id = newUuid();
  await db.write.query({
    text: `insert into session_resources (id, session_id, type, mount_path, url, secret)
      values ($1, $2, 'git_repository', '/workspace/a', $3, $4)`,
    values: [id, sessionId, `https://${HOST}:${port}/acme/widget`, secrets.seal(resourceSecret(id), SECRET)],
  });
  const { rows } = await db.write.query<{ placeholder_seed: string }>({
    text: "select placeholder_seed from sessions where id = $1",
    values: [sessionId],
  });
  return placeholderOf(rows[0]?.placeholder_seed ?? "", id);
}

/** Returns the pid of the process that `unshare` made: the sidecar itself. */
function sidecarOf({ pid = 0 }: SidecarProcess): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim());
}

function readMemory(pid: number, start: number, end: number): Buffer {
  const file = openSync(`/proc/${pid}/mem`, "r");
  try {
    const bytes = Buffer.alloc(end - start);
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start));
  } finally {
    closeSync(file);
  }
}

/** Returns whether a process has the text in its memory. */
function remembers(pid: number, text: string): boolean {
  const memory = readFileSync(`/proc/${pid}/maps`, "latin1")
    .split("\n")
    .flatMap((line) => {
      const [, start, end] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? [];
      return start === undefined || end === undefined
        ? []
        : [{ start: Number.parseInt(start, 16), end: Number.parseInt(end, 16) }];
    });
  return memory.some(({ start, end }) => readMemory(pid, start, end).includes(text));
}

test("a session's sandbox: reaches its hosts, with secrets that its sidecar never has, and hears of denials", {
  skip,
}, async () => {
  const lease = await leasedSession();
  const placeholder = await giveRepository(lease);
  const pod = await openPod(lease);
  const base = `https://${HOST}:${port}`;
  assert.equal(
    (await pod.curl(`-H 'Authorization: Bearer ${placeholder}' ${base}/acme/widget`)).stdout,
    "hello",
  );
  assert.equal(
    (await pod.curl(`-H 'Authorization: Bearer ${placeholder}' ${base}/elsewhere`)).stdout,
    "hello",
  );
  assert.deepEqual(
    received.map(({ authorization }) => authorization),
    [`Bearer ${SECRET}`, `Bearer ${placeholder}`],
  );
  const pid = sidecarOf(pod.sidecar);
  assert.ok(remembers(pid, pod.tunnel.settings.token), "its memory is read");
  assert.ok(!remembers(pid, SECRET));
  assert.deepEqual(
    pod.tunnel.settings.gateway,
    { host: "127.0.0.1", port: gatewayPort },
    "a name is resolved",
  );
  assert.notEqual((await pod.curl("http://evil.example/")).code, 0);
  await pod.said((line) => line.kind === "denied" && line.host === "evil.example");
});

test("policy: a change is in force at once, and closes connections that it does not allow", {
  skip,
}, async () => {
  const lease = await leasedSession();
  const pod = await openPod(lease, []);
  const base = `https://${HOST}:${port}`;
  assert.notEqual((await pod.curl(`${base}/early`)).code, 0);
  const revision = await pod.tunnel.setPolicy(policy([`${HOST}:${port}`]));
  await pod.said((line) => line.kind === "policy" && line.revision === revision);
  assert.equal((await pod.curl(`${base}/now`)).stdout, "hello");
  const requested = once(upstream, "request");
  const endless = pod.curl(`${base}/endless`);
  await requested;
  await pod.tunnel.setPolicy(policy([]));
  assert.notEqual((await endless).code, 0);
});

test("token: of another sandbox, of a former lease, of a sandbox that was closed, or none → refused", {
  skip,
}, async () => {
  const [first, second] = [await openPod(await leasedSession()), await openPod(await leasedSession())];
  const refused = async (pod: Pod, settings: object): Promise<void> => {
    const sidecar = pod.start({ ...pod.tunnel.settings, gateway: pod.gateway, ...settings });
    const [code] = await once(sidecar, "exit");
    assert.equal(code, 4, JSON.stringify(settings));
  };
  await refused(first, { token: second.tunnel.settings.token });
  await refused(first, { id: second.tunnel.settings.id });
  await refused(first, { id: "' or true --", token: "" });

  const lease = await leasedSession();
  const former = await openPod(lease);
  await seedLease(db.write, lease.sessionId, "runner");
  assert.equal(await former.tunnel.setPolicy(policy([])), null);
  assert.equal((await once(former.sidecar, "exit"))[0], 4, "its open tunnel ends, and it gets no other");

  const closed = await openPod(await leasedSession());
  await closed.tunnel.close();
  assert.equal((await once(closed.sidecar, "exit"))[0], 4);
});

test("connection without a certificate, or with one of another authority → no tunnel", { skip }, async () => {
  const pod = await openPod(await leasedSession());
  const other = await signSidecar(await makeTunnelAuthority());
  for (const pair of [{ certificate: "", key: "" }, other]) {
    const { authority, name: servername } = pod.tunnel.settings;
    const socket = connectTls({
      host: "127.0.0.1",
      port: gatewayPort,
      ca: authority,
      servername,
      cert: pair.certificate,
      key: pair.key,
    });
    const got: Buffer[] = [];
    socket.on("data", (bytes: Buffer) => got.push(bytes)).on("error", () => {});
    socket.once("secureConnect", () => socket.write(hello(pod.tunnel.settings)));
    await new Promise((closed) => socket.once("close", closed));
    assert.deepEqual(got, []);
  }
});

test("a new lease of a session: the tunnel of the one before ends, and its own is good", {
  skip,
}, async () => {
  const lease = await leasedSession();
  const pod = await openPod(lease);
  const next = await seedLease(db.write, lease.sessionId, "other");
  const tunnel = await sessionTunnel(deps, next)(policy([`${HOST}:${port}`]));
  await once(pod.sidecar, "exit");
  pod.lines.length = 0;
  pod.start({ ...tunnel.settings, gateway: pod.gateway }, next.epoch);
  await pod.said(({ kind }) => kind === "policy");
  assert.equal((await pod.curl(`https://${HOST}:${port}/`)).stdout, "hello");
});

test("gateway: killed → connections fail; back → new ones pass, with the policy of now", {
  skip,
}, async () => {
  const pod = await openPod(await leasedSession());
  const base = `https://${HOST}:${port}`;
  const requested = once(upstream, "request");
  const endless = pod.curl(`${base}/endless`);
  await requested;
  gateway.kill("SIGKILL");
  await pod.said(({ kind }) => kind === "lost");
  assert.notEqual((await endless).code, 0);
  assert.notEqual((await pod.curl(`${base}/away`)).code, 0);
  assert.notEqual((await pod.curl("http://evil.example/")).code, 0);
  const revision = await pod.tunnel.setPolicy(policy([`${HOST}:${port}`, "other.example"]));
  assert.deepEqual(
    received.map(({ url }) => url),
    ["/endless"],
  );
  gateway = await startGateway();
  await pod.said((line) => line.kind === "policy" && line.revision === revision);
  assert.equal((await pod.curl(`${base}/back`)).stdout, "hello");
});

/** Returns the first frame of a tunnel. */
function hello({ id, token }: EgressTunnel["settings"]): Buffer {
  const body = Buffer.from(JSON.stringify({ id, token }));
  const head = Buffer.alloc(9);
  head.write("H", 4, "latin1");
  head.writeUInt32BE(body.length, 5);
  return Buffer.concat([head, body]);
}
