import { readdir, readFile } from "node:fs/promises";

import { quote } from "../scripts/quote.ts";
import { shellTemplate } from "../scripts/read-script.ts";
import type { LayerPlan, LayerRuntimes } from "./layer-plan.ts";
import { PACKAGE_HOSTS } from "./package-hosts.ts";

const APT = shellTemplate<never>("system/apt-packages.sh");
const NPM = shellTemplate<"REGISTRY">("system/npm-packages.sh");
const PIP = shellTemplate<"INDEX">("system/pip-packages.sh");

/** The exit code of `apt-packages.sh` when it has installed some of the packages. */
const APT_PARTIAL = 75;

/** The sources of packages for sandboxes. */
export interface PackageSources {
  /** https URL without a login; null for npm's public registry. */
  npmRegistry: string | null;
  /** https URL of a simple index, without a login; null for PyPI. */
  pipIndex: string | null;
}

/**
 * Package names, each with an optional version (`=1.2`, `@1.2` or `==1.2`). The caller must have validated
 * them.
 */
export interface Packages {
  apt: readonly string[];
  npm: readonly string[];
  pip: readonly string[];
}

/**
 * Returns one layer for each package manager that has packages, from the lowest. Order and repetitions of the
 * names do not matter. npm and pip are those of the runtimes, if these have them.
 */
export async function packagePlans(
  packages: Packages,
  rootFilesystem: string,
  sources: PackageSources,
  runtimes: LayerRuntimes | null = null,
): Promise<LayerPlan[]> {
  const { npmRegistry: registry, pipIndex: index } = sources;
  const npmHosts = registry === null ? [...PACKAGE_HOSTS.npm] : [new URL(registry).host];
  const pipHosts = index === null ? [...PACKAGE_HOSTS.pip] : [new URL(index).host];
  return [
    ...plan("apt packages", packages.apt, await aptHosts(rootFilesystem), APT({})).map((apt) => ({
      ...apt,
      partialExitCode: APT_PARTIAL,
      packages: true as const,
    })),
    ...plan(
      "npm packages",
      packages.npm,
      npmHosts,
      NPM({ REGISTRY: option("registry", registry) }),
      runtimes,
    ),
    ...plan("pip packages", packages.pip, pipHosts, PIP({ INDEX: option("index-url", index) }), runtimes),
  ];
}

function plan(
  name: string,
  packages: readonly string[],
  hosts: string[],
  install: string,
  runtimes: LayerRuntimes | null = null,
): LayerPlan[] {
  if (packages.length === 0) return [];
  const names = [...new Set(packages)].toSorted();
  const script = `set -eu\nset -- ${names.map(quote).join(" ")}\n${install}`;
  return [{ name, script, environment: { HOME: "/root" }, egress: { mode: "limited", hosts }, runtimes }];
}

function option(name: string, url: string | null): string {
  return url === null ? "" : `--${name}=${quote(url)}`;
}

/** Returns the hosts of apt's sources in a root filesystem. */
export async function aptHosts(rootFilesystem: string): Promise<string[]> {
  const parts = `${rootFilesystem}/etc/apt/sources.list.d`;
  const names = await readdir(parts).catch(() => []);
  const files = [`${rootFilesystem}/etc/apt/sources.list`, ...names.map((name) => `${parts}/${name}`)];
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8").catch(() => "")));
  const text = texts.join("\n").replaceAll(/^\s*#.*$/gm, "");
  return [...new Set((text.match(/\bhttps?:\/\/[^\s\]]+/g) ?? []).map((url) => new URL(url).host))];
}
