import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const TIMEOUT_MS = 60_000;
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * A systemd as process 1 of a test's own namespaces, over this machine's files. Its writes are discarded when
 * it stops.
 */
export interface Machine {
  /** Runs a shell script as root and returns its output. @throws Error with all of its output if it fails. */
  run(script: string): string;
  stop(): Promise<void>;
}

/** Returns why systemd cannot be process 1 here; null if it can. */
export function missingForMachine(): string | null {
  if (process.getuid?.() !== 0) return "this is not root";
  if (!existsSync("/lib/systemd/systemd")) return "systemd is not installed";
  if (controlGroups() === null) return "no control group can be made";
  if (spawnSync("unshare", ["--mount", "--pid", "--fork", "--cgroup", "--net", "true"]).status !== 0)
    return "no namespaces can be made";
  return null;
}

/** Boots the machine. @param shared a directory that it sees as `/mnt`. */
export async function bootMachine(shared: string): Promise<Machine> {
  const group = `${controlGroups()}/berth-systemd-${process.pid}`;
  const directory = mkdtempSync(join(tmpdir(), "berth-systemd-"));
  mkdirSync(group);
  const namespaces = ["--fork", "--pid", "--kill-child=KILL", "--mount", "--uts", "--ipc", "--net"];
  const boot = join(import.meta.dirname, "boot.sh");
  const places = [group, directory, shared];
  const outer = spawn("unshare", [...namespaces, "--propagation=private", "--", boot, ...places], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const stop = async () => {
    const ended = outer.exitCode === null && outer.signalCode === null && once(outer, "exit");
    outer.kill("SIGKILL");
    await ended;
    await removeGroup(group);
    rmdirSync(directory);
  };
  try {
    await booted(outer);
    return { run: (script) => run(outer, script), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function booted(outer: ChildProcess): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    if (inside(outer, "systemctl is-active --quiet test.target").status === 0) return;
    if (outer.exitCode !== null || performance.now() > deadline) throw new Error("systemd did not boot.");
    await pause(100);
  }
}

function run(outer: ChildProcess, script: string): string {
  const { status, stdout, stderr } = inside(outer, script);
  if (status === 0) return stdout;
  throw new Error(`exit code ${status} of\n${script}\n${stdout}${stderr}`);
}

function inside(outer: ChildProcess, script: string) {
  const [init = ""] = readFileSync(`/proc/${outer.pid}/task/${outer.pid}/children`, "utf8").split(" ");
  const enter = ["--target", init, "--all", "env", "-i", `PATH=${PATH}`, "HOME=/root", "LC_ALL=C.UTF-8"];
  return spawnSync("nsenter", [...enter, "DEBIAN_FRONTEND=noninteractive", "sh", "-ec", script], {
    encoding: "utf8",
    maxBuffer: 1 << 26,
    timeout: TIMEOUT_MS * 3,
  });
}

/** Returns the directory in which version 2 control groups can be created; null if there is none. */
function controlGroups(): string | null {
  for (const path of ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]) {
    if (!existsSync(`${path}/cgroup.procs`) || !existsSync(`${path}/cgroup.controllers`)) continue;
    try {
      mkdirSync(`${path}/berth-try-${process.pid}`);
      rmdirSync(`${path}/berth-try-${process.pid}`);
      return path;
    } catch {}
  }
  return null;
}

/** Removes a group. The kernel releases it a little after its last process has ended. */
async function removeGroup(group: string): Promise<void> {
  const inner = globSync("**/", { cwd: group }).map((name) => join(group, name));
  const groups = [...new Set([...inner, group])].sort((one, other) => other.length - one.length);
  for (let tries = 0; ; tries++) {
    try {
      for (const path of groups) if (existsSync(path)) rmdirSync(path);
      return;
    } catch (error) {
      if (tries > 300) throw error;
      await pause(100);
    }
  }
}
