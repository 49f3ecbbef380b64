import assert from "node:assert/strict";
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { freePort } from "../acceptance/harness/free-port.ts";
import { notInSample } from "../effort/effort.ts";

const ROOT = join(import.meta.dirname, "../..");
const IMAGE = "berth-postgres:test";
/** A short interval for the health check. Each start would wait for the default of ten seconds. */
const SOON_HEALTHY = { healthcheck: { interval: "1s" } };
const SERVICES = {
  "compose.yaml": ["berth"],
  "compose-roles.yaml": ["api-1", "api-2", "runner-1", "runner-2"],
};

interface Engine {
  socket: string;
  /** The name of the service's image in the engine. */
  image: string;
  postgresImage: string;
}

/** Builds the image for the engine at this socket, and returns its name. */
export async function buildPostgresImage(socket: string): Promise<string> {
  await promisify(execFile)(join(ROOT, "deploy/postgres-image/build"), [`docker -H unix://${socket}`, IMAGE]);
  return IMAGE;
}

/**
 * Defines tests of `deploy/compose.yaml` and `deploy/compose-roles.yaml` with a real Docker Compose.
 *
 * @param engine Called when the tests run.
 * @param skip The reason for skipping them; false to run them.
 */
export function composeTests(engine: () => Promise<Engine>, skip: string | false): void {
  describe("compose.yaml and compose-roles.yaml", {
    skip,
  }, () => {
    let directory: string;
    let port: number;
    let secondPort: number;
    let file: keyof typeof SERVICES = "compose.yaml";
    let environment: NodeJS.ProcessEnv;

    before(async () => {
      directory = mkdtempSync(join(tmpdir(), "berth-compose-"));
      [port, secondPort] = [await freePort(), await freePort()];
      const { socket, image, postgresImage } = await engine();
      for (const [name, services] of Object.entries(SERVICES))
        writeFileSync(
          join(directory, name),
          JSON.stringify({ services: Object.fromEntries(services.map((one) => [one, SOON_HEALTHY])) }),
        );
      environment = {
        ...{ PATH: process.env.PATH, HOME: directory, DOCKER_HOST: `unix://${socket}` },
        ...{ BERTH_IMAGE: image, BERTH_POSTGRES_IMAGE: postgresImage, BERTH_PUBLISH: `127.0.0.1:${port}` },
        ...{ BERTH_PUBLISH_1: `127.0.0.1:${port}`, BERTH_PUBLISH_2: `127.0.0.1:${secondPort}` },
      };
    });
    after(() => {
      compose("down", "--volumes");
      rmSync(directory, { recursive: true });
    });

    test("up, a session, down, up again: the session is there, and the next one runs", {
      timeout: 300_000,
    }, () => {
      compose("up", "--detach", "--wait");
      const token = compose("exec", "-T", "berth", "berth", "bootstrap", "--user", "ann@example.com");
      writeFileSync(join(directory, "token"), token, { mode: 0o600 });
      assert.match(
        session("ls /run/postgresql || echo 42 in $PWD"),
        /No such file[\s\S]*42 in \/data[\s\S]*Done\./,
      );
      const stored = sessions();
      assert.equal(stored.length, 1);

      compose("down");
      assert.equal(compose("ps", "--all", "--quiet"), "");
      compose("up", "--detach", "--wait");
      assert.match(compose("logs", "postgres"), /database system was shut down at/, "it was not killed");
      assert.deepEqual(sessions(), stored);
      assert.match(session("echo 42 in $PWD"), /42 in \/data[\s\S]*Done\./);
    });

    test("the database has no network; only the services that share its socket reach it", () => {
      const listening = compose("exec", "-T", "postgres", "cat", "/proc/net/tcp", "/proc/net/tcp6");
      assert.doesNotMatch(listening, / 0A /);
      assert.equal(compose("exec", "-T", "postgres", "ls", "/sys/class/net"), "lo\n");
    });

    test("the database is killed: the service responds again when it is back", { timeout: 120_000 }, () => {
      compose("kill", "--signal", "SIGKILL", "postgres");
      compose("up", "--detach", "--wait");
      assert.match(session("echo still in $PWD"), /still in \/data[\s\S]*Done\./);
    });

    test("roles: two APIs and two runners; with one of each killed, sessions begin as before", {
      timeout: 300_000,
    }, () => {
      compose("down", "--volumes");
      file = "compose-roles.yaml";
      compose("up", "--detach", "--wait");
      const token = compose(
        "exec",
        "-T",
        "api-1",
        "berth",
        "bootstrap",
        "--user",
        "ann@example.com",
        "--role",
        "admin",
      );
      writeFileSync(join(directory, "token"), token, { mode: 0o600 });
      assert.match(session("echo 42 in $PWD"), /42 in \/data[\s\S]*Done\./);
      const { hosts } = JSON.parse(berth("health", "--json"));
      const roles = hosts.map(({ role }: { role: string }) => role);
      assert.deepEqual(roles.sort(), ["api", "api", "runner", "runner"]);
      const doctor = (name: string) => compose("exec", "-T", name, "sh", "-c", "berth doctor || true");
      assert.match(doctor("api-2"), /^ok +role +This service only serves the API/m);
      assert.match(doctor("runner-2"), /^ok +isolation_filesystem +/m);
      const stored = sessions();

      compose("kill", "--signal", "SIGKILL", "api-1", "runner-1");
      port = secondPort;
      assert.deepEqual(sessions(), stored);
      assert.match(session("echo still in $PWD"), /still in \/data[\s\S]*Done\./);
    });

    function compose(...words: string[]): string {
      const files = ["--file", join(ROOT, "deploy", file), "--file", join(directory, file)];
      const { status, stdout, stderr } = spawnSync("docker", ["compose", ...files, ...words], {
        cwd: directory,
        encoding: "utf8",
        env: environment,
      });
      if (status === 0) return stdout;
      throw new Error(`exit code ${status} of docker compose ${words.join(" ")}\n${stdout}${stderr}`);
    }

    function berth(...words: string[]): string {
      const connection = ["--url", `http://127.0.0.1:${port}`, "--token-file", join(directory, "token")];
      return execFileSync(join(ROOT, "bin/berth"), [...words, ...connection], {
        encoding: "utf8",
        env: { PATH: process.env.PATH, HOME: directory },
      });
    }

    function session(command: string): string {
      const steps = [{ tool: "Bash", input: { command } }, { say: "Done." }];
      return berth("run", JSON.stringify({ steps }), "--model", "rehearsal/steps");
    }

    function sessions(): string[] {
      const { data } = JSON.parse(berth("sessions", "list", "--archived", "--json"));
      return data.map(({ id }: { id: string }) => id);
    }
  });
}

/**
 * Returns why the tests are skipped where the engine is available; false if they are not. In CI, throws
 * without Docker Compose.
 */
export function withoutCompose(): string | false {
  if (spawnSync("docker", ["compose", "version"]).status === 0) return notInSample(0, 2);
  const reason = "Docker Compose 2 is not installed";
  if (process.env.CI === "true") throw new Error(reason);
  return reason;
}
