// Tests the service's container image, built from Debian packages, in a private dockerd.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { freePort } from "../acceptance/harness/free-port.ts";
import { missingForEngine, startTestEngine, type TestEngine } from "../container-engine/container-engine.ts";
import { sharedRelease } from "../release/shared-release.ts";
import { buildPostgresImage, composeTests, withoutCompose } from "./compose-tests.ts";

const ROOT = join(import.meta.dirname, "../..");
const skip =
  missingForEngine("dockerd") ?? (existsSync("/usr/bin/mmdebstrap") ? false : "mmdebstrap is not installed");
const skipCompose = skip || withoutCompose();
const NO_SYSTEM_CALLS_FILTERED = ["--security-opt", "seccomp=unconfined"];
/** The flags that sandboxes need according to the guide, with everything else dropped. */
const FLAGS = [
  ...["--cap-drop", "ALL", "--security-opt", "no-new-privileges"],
  ...[...NO_SYSTEM_CALLS_FILTERED, "--security-opt", "systempaths=unconfined"],
];

let directory: string;
let engine: TestEngine;
let postgresImage: Promise<string>;
let port: number;

before(async () => {
  if (skip) return;
  directory = mkdtempSync(join(tmpdir(), "berth-image-"));
  engine = await startTestEngine("dockerd");
  // Runs while the release and the service's image are built, since each waits for downloads and disks.
  postgresImage = skipCompose ? Promise.resolve("") : buildPostgresImage(engine.socket);
  postgresImage.catch(() => undefined);
  const [deb = ""] = globSync(join(sharedRelease(), "berth_*.deb"));
  port = await freePort();
  const build = [deb, `docker -H unix://${engine.socket}`, "berth:test"];
  execFileSync(join(ROOT, "deploy/image/build"), build, { stdio: ["ignore", "ignore", "inherit"] });
});
after(async () => {
  if (skip) return;
  try {
    await postgresImage.catch(() => undefined);
    docker("rm", "--force", "berth");
  } finally {
    await engine.close();
    rmSync(directory, { recursive: true });
  }
});

test("image: without the flags that sandboxes need → doctor names each", { skip, timeout: 120_000 }, () => {
  assert.match(doctor(), /missing +user_namespaces [^\n]*--security-opt seccomp=unconfined/);
  assert.match(
    doctor(...NO_SYSTEM_CALLS_FILTERED),
    /missing +user_namespaces [^\n]*--security-opt systempaths=unconfined/,
  );
});

test("image: a volume of another user, or a missing file with a secret → one sentence, exit code 2", {
  skip,
  timeout: 120_000,
}, () => {
  mkdirSync(join(directory, "volume"));
  const foreign = ["--volume", `${directory}/volume:/var/lib/berth`];
  assert.match(
    refused(foreign),
    /^error: BERTH_DATA_DIR: Berth may not write in the data directory \/var\/lib\/berth, [^\n]*chown[^\n]*\n$/,
  );
  const secret = ["--env", "BERTH_DATABASE_URL_FILE=/run/secrets/database_url"];
  assert.match(
    refused(secret),
    /^error: BERTH_DATABASE_URL_FILE cannot be used: \/run\/secrets\/database_url[^\n]*\n$/,
  );
});

test("image: becomes healthy, runs a session without root and capabilities, stops at SIGTERM, and continues with its volume", {
  skip,
  timeout: 600_000,
}, async () => {
  const settings = join(directory, "berth.yaml");
  writeFileSync(settings, `port: ${port}\n`);
  const service = ["--name", "berth", "--network", "host", "--health-interval", "1s"];
  const volume = ["--volume", "berth:/var/lib/berth", "--volume", `${settings}:/etc/berth/berth.yaml:ro`];
  const start = () => docker("run", "--detach", ...service, ...volume, ...FLAGS, "berth:test");
  start();
  await healthy();
  assert.match(
    docker("exec", "berth", "berth", "doctor"),
    /ok +isolation_filesystem +(\d+) of \1 probes held/,
  );
  inside("berth bootstrap --user ann@example.com > token");
  assert.match(session(), /42 in \/data[\s\S]*Done\./);
  const stored = sessions();
  assert.equal(stored.length, 1);

  docker("stop", "-t", "60", "berth");
  assert.equal(docker("inspect", "--format", "{{.State.ExitCode}}", "berth"), "0\n");
  docker("rm", "berth");
  start();
  await healthy();
  assert.deepEqual(sessions(), stored);
  assert.match(session(), /42 in \/data[\s\S]*Done\./);
});

composeTests(
  async () => ({ socket: engine.socket, image: "berth:test", postgresImage: await postgresImage }),
  skipCompose,
);

function docker(...words: string[]): string {
  const { status, stdout, stderr } = run(words);
  // `berth doctor` fails if something is missing, such as a user id for each session.
  if (status === 0 || words.at(-1) === "doctor") return stdout;
  throw new Error(`exit code ${status} of docker ${words.join(" ")}\n${stdout}${stderr}`);
}

function run(words: readonly string[]) {
  return spawnSync("docker", ["-H", `unix://${engine.socket}`, ...words], { encoding: "utf8" });
}

function inside(script: string): string {
  return docker("exec", "berth", "sh", "-ec", script);
}

function doctor(...flags: string[]): string {
  return docker("run", "--rm", "--network", "host", ...flags, "berth:test", "doctor");
}

/** Returns the output of a service that does not start, without its log lines. */
function refused(flags: readonly string[]): string {
  const { status, stderr } = run(["run", "--rm", "--network", "host", ...flags, "berth:test"]);
  assert.equal(status, 2, stderr);
  return stderr.replaceAll(/^\{.*\n/gm, "");
}

/** Resolves when the image's health check succeeds. */
async function healthy(): Promise<void> {
  const deadline = performance.now() + 120_000;
  while (docker("inspect", "--format", "{{.State.Health.Status}}", "berth") !== "healthy\n") {
    if (performance.now() > deadline) throw new Error(docker("logs", "berth"));
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

function sessions(): string[] {
  const { data } = JSON.parse(inside(`berth sessions list --archived --json ${connection()}`));
  return data.map(({ id }: { id: string }) => id);
}

function connection(): string {
  return `--url http://127.0.0.1:${port} --token-file token`;
}

function session(): string {
  const steps = [{ tool: "Bash", input: { command: "echo $((6 * 7)) in $PWD" } }, { say: "Done." }];
  return inside(`berth run '${JSON.stringify({ steps })}' --model rehearsal/steps ${connection()}`);
}
