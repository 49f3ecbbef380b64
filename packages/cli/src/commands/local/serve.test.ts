// Subject: a start of the service that fails or is stopped leaves nothing: no process, no lock.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import fc from "fast-check";
import { assertNothingLeft, HANG_MS } from "../../../test-support/assert-nothing-left.ts";
import { type Ended, startBerth } from "../../../test-support/berth.ts";

interface Failure {
  /** The failure comes while other parts open. It is also tried with a new, slower database. */
  isFast?: boolean;
  /** Nothing is created in a data directory that does not exist. */
  writesNothing?: boolean;
  settings?: (dataDir: string) => Record<string, string>;
  /** Changes the data directory of an installation that has been served before. */
  prepare?: (dataDir: string) => void;
  error: RegExp;
  /** Set when the fault is found during the start, and is not in something that a setting names. */
  code?: 1;
  needsRoot?: boolean;
}

/**
 * Ways to make each part of the start fail, in a data directory that was served unless `prepare` changes it.
 */
const FAILURES: Record<string, Failure> = {
  "the models file is invalid": {
    settings: (dataDir) => ({ BERTH_MODELS_FILE: faultyModels(dataDir) }),
    error: /providers.x.kind/,
    isFast: true,
  },
  "the models file is missing": {
    settings: () => ({ BERTH_MODELS_FILE: "/nowhere/models.json" }),
    error: /nowhere/,
  },
  "the certificate is missing": {
    settings: () => ({ BERTH_TLS_CERT: "/nowhere/cert.pem", BERTH_TLS_KEY: "/nowhere/key.pem" }),
    error: /nowhere\/cert\.pem cannot be read/,
  },
  "the certificate has no key": {
    settings: () => ({ BERTH_TLS_CERT: "/nowhere/cert.pem" }),
    error: /BERTH_TLS_CERT needs BERTH_TLS_KEY/,
  },
  "the secret key is invalid": {
    prepare: (dataDir) => writeFileSync(join(dataDir, "secret.key"), "x", { mode: 0o600 }),
    error: /32 bytes/,
  },
  "others can change the data directory": {
    prepare: (dataDir) => chmodSync(dataDir, 0o777),
    error: /can be changed by other users \(mode 0777\): .*chmod go-w/,
  },
  "the data directory has another owner": {
    prepare: (dataDir) => chownSync(dataDir, 65_533, 65_533),
    error: /belongs to user id 65533/,
    needsRoot: true,
  },
  "something in the data directory has another owner": {
    prepare: (dataDir) => {
      mkdirSync(join(dataDir, "egress-authority"));
      chownSync(join(dataDir, "egress-authority"), 65_533, 65_533);
    },
    error: /egress-authority belongs to user id 65533/,
    needsRoot: true,
  },
  "others can change the secret key": {
    prepare: (dataDir) => {
      writeFileSync(join(dataDir, "secret.key"), randomBytes(32).toString("base64"));
      chmodSync(join(dataDir, "secret.key"), 0o666);
    },
    error: /secret\.key can be changed by other users/,
  },
  "the secret key is zeros": {
    prepare: (dataDir) =>
      writeFileSync(join(dataDir, "secret.key"), Buffer.alloc(32).toString("base64"), { mode: 0o600 }),
    error: /must hold a random key/,
  },
  "a file is in the place of the contents": {
    prepare: (dataDir) => {
      rmSync(join(dataDir, "blobs"), { recursive: true, force: true });
      writeFileSync(join(dataDir, "blobs"), "");
    },
    error: /blobs/,
  },
  "there are no PostgreSQL binaries": {
    settings: () => ({ BERTH_PG_BIN: "/nowhere" }),
    error: /nowhere/,
  },
  "the database cannot be reached": {
    settings: () => ({ BERTH_DATABASE_URL: "postgres://berth@127.0.0.1:1/berth" }),
    error: /127\.0\.0\.1:1/,
    code: 1,
  },
  "the host is not an address of this machine": {
    settings: () => ({ BERTH_HOST: "192.0.2.1" }),
    error: /192\.0\.2\.1/,
    writesNothing: true,
  },
  "the address of the metrics is not one of this machine": {
    settings: () => ({ BERTH_METRICS_ADDRESS: "192.0.2.1:0" }),
    error: /192\.0\.2\.1 is not an address/,
    writesNothing: true,
  },
  "no directory can be created where the data directory is to be": {
    settings: () => ({ BERTH_DATA_DIR: "/proc/berth" }),
    error: /The directory \/proc\/berth cannot be created: no such file or directory\./,
    writesNothing: true,
  },
  "the data directory is to be below a file": {
    settings: () => ({ BERTH_DATA_DIR: "/etc/passwd/berth" }),
    error: /\/etc\/passwd is not a directory/,
    writesNothing: true,
  },
  "no directory can be created for the contents": {
    settings: () => ({ BERTH_BLOBS: "/proc/berth" }),
    error: /The directory \/proc\/berth cannot be created/,
  },
  "the sandbox engine cannot be reached": {
    settings: () => ({ BERTH_SANDBOX: "docker", BERTH_DOCKER_SOCKET: "/nowhere.sock" }),
    error: /nowhere\.sock/,
  },
};

let served: string;
before(async () => {
  served = mkdtempSync(join(tmpdir(), "berth-served-"));
  const { child, ended } = startBerth(["serve"], settings(served));
  await once(child.stdout, "data");
  child.kill("SIGTERM");
  assert.equal((await ended).code, 0);
});
after(() => rmSync(served, { recursive: true, force: true }));

for (const [what, failure] of Object.entries(FAILURES)) {
  const skip = failure.needsRoot === true && process.getuid?.() !== 0 && "needs root";
  test(`serve: ${what} → one sentence, exit ${failure.code ?? 2}, nothing left`, { skip }, async (t) => {
    const own = failure.prepare === undefined ? [served] : [];
    const installations = failure.isFast || own.length === 0 ? [...own, directory(t)] : own;
    for (const dataDir of installations) {
      failure.prepare?.(dataDir);
      const { code, stderr } = await ending(
        startBerth(["serve"], settings(dataDir, failure.settings?.(dataDir))),
      );
      const sentences = stderr.split("\n").filter((line) => line.startsWith("error: "));
      assert.deepEqual([code, sentences.length], [failure.code ?? 2, 1], stderr);
      assert.match(stderr, failure.error);
      await assertNothingLeft(dataDir);
    }
    if (failure.writesNothing === true) {
      const absent = join(directory(t), "absent");
      await ending(startBerth(["serve"], settings(absent, failure.settings?.(absent))));
      assert.ok(!existsSync(absent));
    }
  });
}

test("serve: it listens on the address that --host or BERTH_HOST names", async (t) => {
  const dataDir = directory(t);
  for (const [args, host] of [
    [[], "127.0.0.2"],
    [["--host", "127.0.0.3"], "127.0.0.3"],
  ] as const) {
    const { child, ended } = startBerth(["serve", ...args], settings(dataDir, { BERTH_HOST: "127.0.0.2" }));
    await once(child.stdout, "data");
    child.kill("SIGTERM");
    assert.match((await ended).stdout, new RegExp(`^berth: listening on http://${host}:`));
  }
});

test("serve: the port is taken → one sentence, exit 1, nothing left", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const taken = settings(served, { BERTH_PORT: `${port}` });
  const { code, stderr } = await ending(startBerth(["serve"], taken));
  server.close();
  assert.match(stderr, /^error: Another program already listens on port/m);
  assert.equal(code, 1);
  await assertNothingLeft(served);
});

test("serve: SIGTERM, SIGINT or SIGKILL at any instant of the start → nothing left, and it starts again", async (t) => {
  const dataDir = directory(t);
  const seed = Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31));
  t.diagnostic(`TEST_SEED=${seed}`);
  const instants = fc.sample(fc.nat(STEPS), { seed, numRuns: SIGNALS });
  for (const [nth, instant] of instants.toSorted((one, other) => one - other).entries()) {
    const berth = startBerth(["serve"], settings(dataDir, { BERTH_LOG_LEVEL: "debug" }));
    await stepsOf(berth.child, instant);
    const signal = ENDINGS[nth % ENDINGS.length];
    berth.child.kill(signal);
    // The next start takes over the database of a killed service.
    if (signal === "SIGKILL") {
      await berth.ended;
      continue;
    }
    const { code, stderr } = await ending(berth);
    // Code is null when the signal came before the program installed its handlers.
    assert.ok(code === 0 || code === null, `${code}: ${stderr}`);
    assert.doesNotMatch(stderr, /^error: /m);
    await assertNothingLeft(dataDir);
  }
  const berth = startBerth(["serve"], settings(dataDir));
  await once(berth.child.stdout, "data");
  berth.child.kill("SIGTERM");
  assert.equal((await ending(berth)).code, 0);
  await assertNothingLeft(dataDir);
});

const SIGNALS = 9;
const ENDINGS = ["SIGTERM", "SIGKILL", "SIGINT"] as const;
/**
 * Maximum number of steps that a start logs in a new data directory: parts of both processes, and migrations.
 */
const STEPS = 90;

/** Resolves when the start has reached this step, or the service is ready. */
async function stepsOf({ stdout, stderr }: ReturnType<typeof startBerth>["child"], count: number) {
  const reached = Promise.withResolvers<void>();
  let seen = 0;
  const look = (chunk: Buffer) => {
    seen += String(chunk).split('"step":').length - 1;
    if (seen >= count) reached.resolve();
  };
  stderr.on("data", look);
  stdout.once("data", () => reached.resolve());
  look(Buffer.from(""));
  await reached.promise;
  stderr.off("data", look);
}

function directory(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "berth-start-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function settings(dataDir: string, others: Record<string, string> = {}) {
  return { env: { BERTH_DATA_DIR: dataDir, BERTH_HOST: "127.0.0.1", BERTH_PORT: "0", ...others } };
}

function faultyModels(dataDir: string): string {
  const file = join(dataDir, "models.json");
  writeFileSync(file, JSON.stringify({ providers: { x: { kind: "openia" } }, models: [{ id: "foo" }] }));
  return file;
}

/** Returns the end of a process. Kills one that hangs, and fails with its error output. */
async function ending({ child, ended }: ReturnType<typeof startBerth>): Promise<Ended> {
  const timer = setTimeout(() => child.kill("SIGKILL"), HANG_MS);
  const outcome = await ended.finally(() => clearTimeout(timer));
  assert.notEqual(child.signalCode, "SIGKILL", `it hung:\n${outcome.stderr}`);
  return outcome;
}
