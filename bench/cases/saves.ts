import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AnyJson, Api } from "../../tests/acceptance/harness/api.ts";
import { Berth } from "../../tests/acceptance/harness/berth.ts";
import { bash, makeSession, runTurn } from "../../tests/acceptance/harness/fixtures.ts";
import { providerSettings } from "../../tests/acceptance/harness/provider-settings.ts";
import { waitForSnapshots } from "../../tests/acceptance/harness/repository-snapshots.ts";
import { settingsToShare } from "../../tests/acceptance/harness/shared-database.ts";
import { waitUntil } from "../../tests/acceptance/harness/wait-until.ts";
import { startGitHost } from "../../tests/git-host/git-host.ts";
import { manyFiles } from "../bench-repository.ts";
import type { Figure } from "../figure.ts";

const FILES = 5_000;
const SIZES = [1, 100, 1_000];
const SETTINGS = {
  BERTH_SANDBOX_IDLE_SECONDS: "0",
  BERTH_WORKSPACE_SAVES: "idle",
  BERTH_WORKSPACE_SAVE_MB: "4096",
};

/** Returns a command that changes files of 1 MiB, half random and half one repeated line. */
const changes = (megabytes: number) =>
  `mkdir -p changes && cd changes && for n in $(seq ${megabytes}); do
    { head -c 524288 /dev/urandom; yes "line of a log" | head -c 524288; } >$n; done`;

interface Saved {
  bytes: number;
  milliseconds: number;
}

/**
 * Measures saves of workspaces over a repository snapshot: saving a parked workspace, the stored bytes, and
 * restoring it on another service after the first is lost. The peer is `tar --zstd` on the host, of only the
 * changed files.
 */
export async function saveFigures(): Promise<Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), "bench-saves-"));
  const host = await startGitHost({ dir: join(directory, "host") });
  const settings = { ...providerSettings(host), ...SETTINGS };
  const first = await Berth.start({ settings });
  const api = await first.client();
  const second = await Berth.start({ settings: { ...settings, ...settingsToShare(first) } });
  try {
    await host.createRepository({ org: "bench", name: "large", private: false, files: manyFiles(FILES) });
    await first.command("admin", "hosts", "drain", idOf(first));
    const url = `${host.url}/bench/large`;
    const open = async () =>
      await makeSession(api, { resources: [{ type: "hosted_repository", url, mount_path: "/data/repo" }] });
    await runTurn(api, (await open()).id, bash("true"));
    await waitForSnapshots(second, url, 1);
    const sessions: AnyJson[] = [];
    const saves: { base: Saved; own: Saved }[] = [];
    for (const megabytes of SIZES) {
      const session = await open();
      sessions.push(session);
      const base = await save(api, second, session, "true");
      const own = await save(api, second, session, `cd /data/repo && ${changes(megabytes)}`);
      saves.push({ base, own });
    }
    await second.kill("SIGKILL");
    await first.command("admin", "hosts", "drain", idOf(first), "--cancel");
    await first.command("admin", "hosts", "forget", idOf(second), "--force");
    const figures: Figure[] = [];
    for (const [index, megabytes] of SIZES.entries()) {
      const one = saves[index];
      if (one === undefined) continue;
      const restored = await restore(api, sessions[index]);
      figures.push(...figuresOf(megabytes, one, restored, plainTar(directory, megabytes)));
    }
    return figures;
  } finally {
    await second.stop();
    await first.stop();
    await host.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

function figuresOf(
  megabytes: number,
  { base, own }: { base: Saved; own: Saved },
  restored: number,
  peer: { pack: number; unpack: number; bytes: number },
): Figure[] {
  const what = `${megabytes} MiB of changes`;
  const tar = "`tar --zstd` of the changed files";
  return [
    {
      what: `${what}: save`,
      peer: tar,
      unit: "ms",
      value: own.milliseconds,
      peerValue: peer.pack,
      note: `the first save of the session, with its repository of ${FILES} files: ${base.milliseconds} ms, ${mebibytes(base.bytes)} MiB`,
    },
    {
      what: `${what}: stored`,
      peer: tar,
      unit: "MiB",
      value: own.bytes / 2 ** 20,
      peerValue: peer.bytes / 2 ** 20,
    },
    {
      what: `${what}: a new disk elsewhere, with the repository`,
      peer: "`tar --extract --zstd` of the changed files",
      unit: "ms",
      value: restored,
      peerValue: peer.unpack,
    },
  ];
}

/** Runs a command, and waits for the save that follows it. */
async function save(api: Api, service: Berth, session: AnyJson, command: string): Promise<Saved> {
  const lines = () =>
    service.log.split("\n").filter((line) => line.includes(session.id) && line.includes('"workspace saved"'));
  const before = lines().length;
  await runTurn(api, session.id, bash(command));
  await waitUntil(
    () => lines().length > before,
    () => `nothing was saved:\n${service.log.slice(-2_000)}`,
  );
  const line = JSON.parse(lines().at(-1) ?? "{}");
  if (line.outcome !== "saved") throw new Error(`It was not saved: ${JSON.stringify(line)}`);
  return line;
}

/** Returns the milliseconds in which the session's disk was restored. */
async function restore(api: Api, session: AnyJson): Promise<number> {
  await runTurn(api, session.id, bash("true"));
  const { data } = await api.ok("GET", `/sessions/${session.id}/events?limit=100`);
  const started = data.find(({ restored }: AnyJson) => restored !== undefined);
  if (started === undefined) throw new Error(`It was not restored: ${JSON.stringify(data)}`);
  return started.restored.seconds * 1_000;
}

function plainTar(directory: string, megabytes: number): { pack: number; unpack: number; bytes: number } {
  const tree = join(directory, "tree");
  const archive = join(directory, "tree.tar.zst");
  execFileSync("sh", ["-ec", `mkdir -p ${tree} && cd ${tree} && ${changes(megabytes)}`]);
  const pack = timed(() =>
    execFileSync("sh", [
      "-c",
      `tar --create --zstd --file=${archive} --directory=${tree} . && sync ${archive}`,
    ]),
  );
  rmSync(tree, { recursive: true });
  const unpack = timed(() =>
    execFileSync("sh", [
      "-ec",
      `mkdir ${tree} && tar --extract --zstd --file=${archive} --directory=${tree}`,
    ]),
  );
  rmSync(tree, { recursive: true });
  return { pack, unpack, bytes: statSync(archive).size };
}

function timed(run: () => void): number {
  const begun = performance.now();
  run();
  return performance.now() - begun;
}

function idOf(service: Berth): string {
  return readFileSync(join(service.dataDir, "installation"), "utf8").trim();
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}
