import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "berth-race");
const PACKAGE = "kubernetes-client";

/** Debian's kubectl, which has the test cluster's version, whatever this machine has installed. */
export class Kubectl {
  readonly #program: string;
  readonly #kubeconfig: string;

  private constructor(program: string, kubeconfig: string) {
    this.#program = program;
    this.#kubeconfig = kubeconfig;
  }

  static async install(kubeconfig: string): Promise<Kubectl> {
    const directory = join(CACHE, PACKAGE);
    if (!existsSync(directory)) await unpack(directory);
    return new Kubectl(join(directory, "usr/bin/kubectl"), kubeconfig);
  }

  async run(words: readonly string[], input?: object): Promise<string> {
    const running = run(this.#program, ["--kubeconfig", this.#kubeconfig, ...words]);
    running.child.stdin?.end(input === undefined ? "" : JSON.stringify(input));
    return (await running).stdout.trim();
  }
}

async function unpack(directory: string): Promise<void> {
  const staged = `${directory}-${process.pid}`;
  await mkdir(staged, { recursive: true });
  try {
    await run("apt-get", ["download", PACKAGE], { cwd: staged });
    const [deb = ""] = (await readdir(staged)).filter((name) => name.endsWith(".deb"));
    await run("dpkg-deb", ["--extract", join(staged, deb), join(staged, "files")]);
    await rename(join(staged, "files"), directory);
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
}
