import type { Sandbox } from "../interface/sandbox.ts";
import { quote } from "../scripts/quote.ts";
import { shellScript } from "../scripts/read-script.ts";

const HOME = "/home/agent";

/**
 * The directories in which package managers keep what they fetched, by the names under which they are stored.
 * They are where the tools have them without settings, none is in another, and each can be empty: what it had
 * is fetched again. A mount cannot be removed, so each is one that its tool empties, where it can.
 */
export const PACKAGE_CACHES: Readonly<Record<string, string>> = {
  // `npm cache clean` removes _cacache in it.
  npm: `${HOME}/.npm`,
  // Files are linked or copied from the store; `--offline` takes metadata from the cache.
  "pnpm-store": `${HOME}/.local/share/pnpm/store`,
  pnpm: `${HOME}/.cache/pnpm`,
  // Version 1. Later ones have a cache for all projects in .yarn/berry, from which Plug'n'Play runs packages.
  yarn: `${HOME}/.cache/yarn`,
  "yarn-berry": `${HOME}/.yarn/berry`,
  bun: `${HOME}/.bun/install/cache`,
  // Deno runs modules from it.
  deno: `${HOME}/.cache/deno`,
  // The package managers of a package.json, and the headers of Node.js for packages with native parts.
  corepack: `${HOME}/.cache/node/corepack`,
  "node-gyp": `${HOME}/.cache/node-gyp`,
  // Browsers, which npm packages fetch when they are installed.
  playwright: `${HOME}/.cache/ms-playwright`,
  puppeteer: `${HOME}/.cache/puppeteer`,
  pip: `${HOME}/.cache/pip`,
  uv: `${HOME}/.cache/uv`,
  // A .venv that uv made links to its Pythons.
  "uv-python": `${HOME}/.local/share/uv/python`,
  // Also the virtual environments of its projects.
  poetry: `${HOME}/.cache/pypoetry`,
  // Not .cargo itself, which has settings and credentials.
  "cargo-registry": `${HOME}/.cargo/registry`,
  "cargo-git": `${HOME}/.cargo/git`,
  // Sources of modules, from which Go builds.
  go: `${HOME}/go/pkg/mod`,
  // Not .m2 and .gradle themselves, which have settings.
  maven: `${HOME}/.m2/repository`,
  gradle: `${HOME}/.gradle/caches`,
  // Gradle itself, as gradlew fetches it.
  "gradle-wrapper": `${HOME}/.gradle/wrapper/dists`,
};

/** Directory on the disk of a sandbox to which `gatherCaches` moves caches; see `SandboxEngine.takeDirectory`. */
export const GATHERED_CACHES = "home/.berth-caches";

const GATHERED_INSIDE = `${HOME}/.berth-caches`;
const GATHER = shellScript("workspace/gather-caches.sh");
const SEES_REFS = shellScript("workspace/git.sh", "workspace/sees-refs.sh");
const TIMEOUT_MS = 60_000;

/**
 * Moves package caches together, each to a directory of its name, so that they can be taken from the disk. No
 * cache may be a mount. What is no directory, or is empty, is left out.
 *
 * @returns whether there is any.
 */
export async function gatherCaches(
  sandbox: Pick<Sandbox, "run">,
  caches: Readonly<Record<string, string>>,
): Promise<boolean> {
  const words = Object.entries(caches).flat().map(quote).join(" ");
  const { exitCode } = await sandbox.run({
    script: `set -- ${words}\n${GATHER}`,
    cwd: "/",
    environment: { BERTH_GATHERED: GATHERED_INSIDE },
    timeoutMs: TIMEOUT_MS,
  });
  return exitCode === 0;
}

/**
 * Returns whether a clone has all that the branches and tags of an earlier one reach. Then whoever may read
 * it may read all of that one.
 *
 * @param clones Paths of two clones that Berth made and no other program changed.
 */
export async function seesRefsOf(
  sandbox: Pick<Sandbox, "run">,
  { present, former }: { present: string; former: string },
): Promise<boolean> {
  const { exitCode } = await sandbox.run({
    script: SEES_REFS,
    cwd: "/",
    environment: { BERTH_PRESENT_CLONE: present, BERTH_FORMER_CLONE: former },
    timeoutMs: TIMEOUT_MS,
  });
  return exitCode === 0;
}
