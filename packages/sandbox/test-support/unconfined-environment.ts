import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { processStart } from "@berth/linux";
import type { Command, CommandResult } from "../src/interface/command.ts";
import { ALL_PROBES } from "../src/probes/all-probes.ts";
import { startHostCanaries, startNeighbour } from "../src/probes/canaries.ts";
import type { ProbeVariables } from "../src/probes/prelude.ts";
import { type ProbeTarget, runProbes } from "../src/probes/run-probes.ts";

/**
 * A test program that runs the probes without a sandbox and prints their results as JSON. Start it in new
 * namespaces, so that its mounts and servers, such as the metadata service, exist only there.
 *
 * Arguments: `user` or `root`, and an empty directory.
 */
const role = process.argv[2] === "root" ? "root" : "user";
const uid = role === "root" ? 0 : 299_997;

const home = process.argv[3] ?? "";
/** An open namespace, as process 1 might leave one open. */
const openNamespace = openSync("/proc/self/ns/net", "r");
chmodSync(home, 0o755);
prepareMounts();
const metadata = await serveMetadata();
const host = await startHostCanaries();
const target: ProbeTarget = { run: runUnconfined };
const neighbour = await startNeighbour(target, host.tag, join(home, "neighbour"));
writeNaiveGitConfig(host.tag);
const results = await runProbes(target, ALL_PROBES, {
  ...host.variables,
  ...neighbour.variables,
  ...paths(),
});
process.stdout.write(JSON.stringify(results.map(({ probe, ...seen }) => ({ id: probe.id, ...seen }))));
await neighbour.close();
await host.close();
metadata.close();

function paths(): ProbeVariables {
  return {
    data: "/mnt/data",
    scratch: join(home, "scratch"),
    upload: "/mnt/session/uploads/probe.txt",
    skills: "/mnt/skills/probe",
    service_directory: home,
    neighbour_disk: join(home, "neighbour"),
    proxy_port: String(metadata.port),
    launcher_processes: `${process.pid}:${processStart(process.pid)}`,
  };
}

/**
 * Makes the directories of a sandbox, writable, and overlays over system directories, which discard all
 * changes.
 */
function prepareMounts(): void {
  const tmpfs = (path: string) => execFileSync("mount", ["-t", "tmpfs", "none", path]);
  for (const path of ["/mnt", "/run", home]) tmpfs(path);
  chmodSync(home, 0o755);
  for (const [index, path] of ["/usr", "/etc", "/opt"].entries()) {
    const [upper, work] = [`${home}/layers/${index}/upper`, `${home}/layers/${index}/work`];
    for (const directory of [upper, work]) mkdirSync(directory, { recursive: true });
    execFileSync("mount", [
      "-t",
      "overlay",
      "none",
      "-o",
      `lowerdir=${path},upperdir=${upper},workdir=${work}`,
      path,
    ]);
  }
  const files = [
    "/opt/berth/bin/rg",
    "/run/berth/supervisor",
    "/mnt/session/uploads/probe.txt",
    "/mnt/skills/probe/SKILL.md",
  ];
  for (const file of files) {
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, "probed\n");
  }
  for (const path of ["/mnt/data", ...["scratch", "neighbour", "user"].map((name) => join(home, name))]) {
    mkdirSync(path);
    chownSync(path, uid, uid);
  }
  execFileSync("sh", [
    "-c",
    "ip link set lo up; ip address add 169.254.169.254/32 dev lo; ip link add probe0 type dummy || ip link add probe0 type veth peer name probe1; true",
  ]);
}

/** Starts a fake cloud metadata service, and a proxy that connects anywhere. */
async function serveMetadata(): Promise<{ port: number; close(): void }> {
  const respond = (_: unknown, response: ServerResponse) => response.end("role\n");
  const [service, proxy] = [createServer(respond), createServer(respond)];
  proxy.on("connect", ({ url }: IncomingMessage, client: Socket) => {
    client.on("error", () => {}).write("HTTP/1.1 200 OK\r\n\r\n");
    connect(Number(url?.split(":")[1]), "127.0.0.1")
      .on("error", () => {})
      .pipe(client);
  });
  service.listen(80, "169.254.169.254");
  proxy.listen(0, "127.0.0.1");
  await Promise.all([service, proxy].map((server) => once(server, "listening")));
  return {
    port: (proxy.address() as AddressInfo).port,
    close() {
      service.close();
      proxy.close();
    },
  };
}

/**
 * Writes a git configuration that allows everything, with a credential helper that returns its secret for
 * every URL.
 */
function writeNaiveGitConfig(tag: string): void {
  const file = join(home, "user", ".gitconfig");
  const helper = `"!f() { echo username=x; echo password=secret-${tag}; }; f"`;
  writeFileSync(
    file,
    `[protocol]\n\tallow = always\n[credential]\n\thelper = ${helper}\n[submodule]\n\trecurse = true\n`,
  );
}

async function runUnconfined({ script, onOutput, signal }: Command): Promise<CommandResult> {
  const user = uid === 0 ? [] : ["--reuid", String(uid), "--regid", String(uid), "--clear-groups"];
  const child = spawn("setpriv", [...user, "sh", "-c", script], {
    cwd: home,
    env: { PATH: `${process.env.PATH}:/usr/sbin:/sbin`, HOME: join(home, "user") },
    stdio: ["ignore", "pipe", "pipe", openNamespace],
  });
  signal?.addEventListener("abort", () => child.kill());
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr] as Readable[])
    stream.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      onOutput?.(chunk);
    });
  const [code] = await once(child, "close");
  return {
    exitCode: code,
    ended: "exit",
    output: Buffer.concat(chunks),
    omittedBytes: 0,
    outputFile: null,
    cwd: null,
  };
}
