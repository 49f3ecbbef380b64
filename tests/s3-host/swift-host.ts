import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** An OpenStack Swift server, which speaks the S3 protocol and shares no code with AWS. */
export interface SwiftHost {
  endpoint: string;
  bucket: string;
  close(): Promise<void>;
}

export const SWIFT_CREDENTIALS = { AWS_ACCESS_KEY_ID: "test:tester", AWS_SECRET_ACCESS_KEY: "testing" };

const BUCKET = "contents";
const KINDS = ["account", "container", "object"] as const;
const MAX_START_MS = 60_000;

/** Returns why it cannot be started here; false if it can. */
export function missingForSwift(): string | false {
  const missing = [
    "swift-proxy-server",
    "swift-account-server",
    "swift-container-server",
    "swift-object-server",
    "memcached",
  ].filter((name) => !existsSync(`/usr/bin/${name}`));
  return missing.length === 0 ? false : `the packages of OpenStack Swift are missing: ${missing.join(", ")}`;
}

/**
 * Starts it on free ports with an empty bucket and one disk, a directory. Sets the credentials for this
 * process.
 */
export async function startSwift(): Promise<SwiftHost> {
  Object.assign(process.env, SWIFT_CREDENTIALS);
  const directory = mkdtempSync(join(tmpdir(), "berth-swift-"));
  const [proxy = 0, cache = 0, ...ports] = await freePorts(5);
  mkdirSync(join(directory, "devices", "d1"), { recursive: true });
  for (const [index, kind] of KINDS.entries()) {
    makeRing(directory, kind, ports[index] ?? 0);
    writeFileSync(join(directory, `${kind}.conf`), backend(directory, kind, ports[index] ?? 0));
  }
  writeFileSync(join(directory, "proxy.conf"), frontend(directory, proxy, cache));
  const children = [
    start("memcached", ["-l", "127.0.0.1", "-p", `${cache}`, "-u", "nobody", "-m", "16"]),
    ...KINDS.map((kind) => start(`swift-${kind}-server`, [join(directory, `${kind}.conf`)])),
    start("swift-proxy-server", [join(directory, "proxy.conf")]),
  ];
  await Promise.all([proxy, cache, ...ports].map(listening));
  const endpoint = `http://127.0.0.1:${proxy}`;
  await createBucket(endpoint);
  return {
    endpoint,
    bucket: BUCKET,
    async close() {
      await Promise.all(children.map(ended));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function makeRing(directory: string, kind: string, port: number): void {
  const builder = join(directory, `${kind}.builder`);
  const run = (...args: string[]) =>
    execFileSync("swift-ring-builder", [builder, ...args], { stdio: "pipe" });
  run("create", "4", "1", "0");
  run("add", `r1z1-127.0.0.1:${port}/d1`, "1");
  run("rebalance");
}

function backend(directory: string, kind: string, port: number): string {
  return `[DEFAULT]
devices = ${directory}/devices
mount_check = false
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = root
swift_dir = ${directory}
disable_fallocate = true
log_level = ERROR
[pipeline:main]
pipeline = ${kind}-server
[app:${kind}-server]
use = egg:swift#${kind}
`;
}

function frontend(directory: string, port: number, cache: number): string {
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = root
swift_dir = ${directory}
log_level = ERROR
[pipeline:main]
pipeline = catch_errors cache listing_formats s3api tempauth bulk slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
allow_account_management = true
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${cache}
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:bulk]
use = egg:swift#bulk
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
`;
}

function start(program: string, args: readonly string[]): ChildProcess {
  return spawn(program, args, { stdio: ["ignore", "ignore", "inherit"] });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}

/** Creates the bucket by Swift's own protocol, in which a bucket is a container. */
async function createBucket(endpoint: string): Promise<void> {
  const who = {
    "x-auth-user": SWIFT_CREDENTIALS.AWS_ACCESS_KEY_ID,
    "x-auth-key": SWIFT_CREDENTIALS.AWS_SECRET_ACCESS_KEY,
  };
  const { headers } = await fetch(`${endpoint}/auth/v1.0`, { headers: who });
  const token = { "x-auth-token": headers.get("x-auth-token") ?? "" };
  const made = await fetch(`${headers.get("x-storage-url")}/${BUCKET}`, { method: "PUT", headers: token });
  if (made.status !== 201) throw new Error(`Swift made no container: ${made.status} ${await made.text()}`);
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

async function listening(port: number): Promise<void> {
  const deadline = performance.now() + MAX_START_MS;
  while (performance.now() < deadline) {
    const socket = createConnection(port, "127.0.0.1");
    const isOpen = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await pause(50);
  }
  throw new Error(`Nothing listens on port ${port}.`);
}
