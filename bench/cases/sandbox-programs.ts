import { execFile } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createEgress } from "@berth/egress";
import { createBubblewrapEngine } from "@berth/sandbox/bubblewrap";
import { type Figure, median, timesInTurns } from "../figure.ts";
import { benchSpec } from "./sandbox-spec.ts";

const run = promisify(execFile);

const ROUNDS = 7;
const DISK_BYTES = 8 * 2 ** 30;
/** The share by which a program may take longer inside a sandbox than outside. */
const MAX_RATIO = 1.15;
/** Where a sandbox has the directory of `makeInputs`. */
const INPUTS = "/mnt/inputs";

/** A program that takes about a second to compile. */
const C_PROGRAM = Array.from(
  { length: 400 },
  (_, place) => `int f${place}(int a, int b) { while (b-- > 0) a = a * ${place + 3} + b % 7; return a; }`,
).join("\n");

/** Makes what the programs work on, in the current directory. */
const PREPARE = `set -e
git init -q tree
cd tree
perl -e 'for $i (0 .. 19999) { $d = "d" . int($i / 100); mkdir $d; open F, ">", "$d/f$i" or die; print F "line $i\\n" x 20 }'
git add .
git -c user.name=bench -c user.email=bench@example.com commit -qm tree
cd ..
cp -r "$INPUTS" inputs`;

/** Shell text of each program, which can be repeated. */
const PROGRAMS: Readonly<Record<string, string>> = {
  "gcc -O2, 400 functions": "gcc -O2 -c inputs/program.c -o program.o",
  "npm ci of Vite, from npm's cache":
    "cd inputs/package && npm ci --offline --cache ../npm --ignore-scripts --no-audit --no-fund",
  "git status, 20,000 files": "cd tree && git status --porcelain",
  "find, 20,000 files": "find tree -type f -size +1k",
  "20,000 small files are made":
    'rm -rf small && mkdir small && perl -e \'for (0 .. 19999) { open F, ">", "small/$_" or die; print F "x" x 500 }\'',
  "300 MB are written": "rm -f large && head -c 300000000 /dev/zero >large",
};

/**
 * Measures programs in a sandbox, on a disk like a session's, against the same programs outside: of the same
 * user, in a directory of the filesystem that has the disk.
 */
export async function programFigures(): Promise<Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), "bench-programs-"));
  await chmod(directory, 0o711);
  const egress = await createEgress({ allowPrivate: [] });
  const options = { instance: "bench", egress, certificates: [], stateDir: join(directory, "state") };
  const engine = await createBubblewrapEngine(options);
  try {
    await makeInputs(join(directory, "inputs"));
    const spec = benchSpec("programs", join(directory, "disk"));
    const sandbox = await engine.open({
      ...spec,
      limits: { memoryBytes: 4 * 2 ** 30, pids: 1_024, cpus: cpus().length, diskBytes: DISK_BYTES },
      directories: [{ source: join(directory, "inputs"), target: INPUTS }],
    });
    const inside = async (script: string) => {
      const { exitCode, output } = await sandbox.run({
        ...{ script, timeoutMs: 300_000, environment: { INPUTS } },
      });
      if (exitCode !== 0) throw new Error(`${script}\n${new TextDecoder().decode(output)}`);
    };
    const cwd = join(directory, "outside");
    await mkdir(cwd);
    await chown(cwd, spec.uid, spec.uid);
    const words = ["--reuid", `${spec.uid}`, "--regid", `${spec.uid}`, "--clear-groups", "/bin/sh", "-c"];
    const env = { ...process.env, HOME: cwd, INPUTS: join(directory, "inputs") };
    const outside = (script: string) => run("setpriv", [...words, script], { cwd, env, maxBuffer: 2 ** 26 });
    await inside(PREPARE);
    await outside(PREPARE);
    const figures: Figure[] = [];
    for (const [what, script] of Object.entries(PROGRAMS)) {
      const [inner, outer] = await timesInTurns(
        ROUNDS,
        () => inside(script),
        () => outside(script),
      );
      const [value, peerValue] = [median(inner), median(outer)];
      const limit = Math.round(peerValue * MAX_RATIO);
      figures.push({ what, peer: "the same outside", unit: "ms", value, peerValue, limit });
    }
    return figures;
  } finally {
    await engine.close();
    await egress.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Makes a C program, and an npm package with the cache of its dependencies, which everybody may read. */
async function makeInputs(directory: string): Promise<void> {
  const at = (path: string) => join(directory, path);
  await mkdir(at("package"), { recursive: true });
  await writeFile(at("program.c"), C_PROGRAM);
  await writeFile(at("package/package.json"), '{"name":"bench","version":"1.0.0","private":true}');
  const options = ["--cache", at("npm"), "--ignore-scripts", "--no-audit", "--no-fund", "--save-exact"];
  // Without the addresses of archives in the lock file, `npm ci` would ask the registry for them.
  options.push("--omit-lockfile-registry-resolved=false");
  await run("npm", ["install", ...options, "vite@6.0.3", "typescript@5.7.2"], { cwd: at("package") });
  await rm(at("package/node_modules"), { recursive: true });
  await run("chmod", ["-R", "a+rX", directory]);
}
