import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { Command, CommandResult } from "../src/interface/command.ts";
import { ALL_PROBES } from "../src/probes/all-probes.ts";
import { startHostCanaries, startNeighbour } from "../src/probes/canaries.ts";
import type { ProbeVariables } from "../src/probes/prelude.ts";
import { type ProbeTarget, runProbes } from "../src/probes/run-probes.ts";

/**
 * A program of the tests: runs the probes with nothing to hold them, as the user and in the role given, and prints
 * what each came to. It is started in namespaces of its own, so that what is opened, mounted and taken is theirs: the servers
 * that it makes, the metadata address among them, can be reached only there.
 */
const role = process.argv[2] === "root" ? "root" : "user";
const uid = role === "root" ? 0 : 299_997;

const home = process.argv[3] ?? "";
/** Process 1 of the environment, with a namespace left open. */
const left = openSync("/proc/self/ns/net", "r");
chmodSync(home, 0o755);
furnish();
const metadata = await serveMetadata();
const stage = await startHostCanaries();
const plain: ProbeTarget = { run: runPlainly };
const neighbour = await startNeighbour(plain, stage.tag, join(home, "neighbour"));
writeNaiveGit(stage.tag);
const results = await runProbes(plain, ALL_PROBES, {
  ...stage.variables,
  ...neighbour.variables,
  ...places(),
});
process.stdout.write(JSON.stringify(results.map(({ probe, ...seen }) => ({ id: probe.id, ...seen }))));
await neighbour.close();
await stage.close();
metadata.close();

function places(): ProbeVariables {
  return {
    data: "/mnt/data",
    scratch: join(home, "scratch"),
    upload: "/mnt/session/uploads/probe.txt",
    skills: "/mnt/skills/probe",
    service_directory: home,
    neighbour_disk: join(home, "neighbour"),
    proxy_port: String(metadata.port),
  };
}

/** Places that a sandbox has, writable, and a view of the system's directories that forgets what is written to it. */
function furnish(): void {
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

/** Answers like a cloud's metadata service, by its address and as a proxy that leads anywhere. */
async function serveMetadata(): Promise<{ port: number; close(): void }> {
  const answer = (_: unknown, response: ServerResponse) => response.end("role\n");
  const [service, proxy] = [createServer(answer), createServer(answer)];
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

/** A git that trusts whatever it is told, and gives its secret to everybody who asks. */
function writeNaiveGit(tag: string): void {
  const file = join(home, "user", ".gitconfig");
  const helper = `"!f() { echo username=x; echo password=secret-${tag}; }; f"`;
  writeFileSync(
    file,
    `[protocol]\n\tallow = always\n[credential]\n\thelper = ${helper}\n[submodule]\n\trecurse = true\n`,
  );
}

async function runPlainly({ script, onOutput, signal }: Command): Promise<CommandResult> {
  const user = uid === 0 ? [] : ["--reuid", String(uid), "--regid", String(uid), "--clear-groups"];
  const child = spawn("setpriv", [...user, "sh", "-c", script], {
    cwd: home,
    env: { PATH: `${process.env.PATH}:/usr/sbin:/sbin`, HOME: join(home, "user") },
    stdio: ["ignore", "pipe", "pipe", left],
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
