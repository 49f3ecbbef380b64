import { quote } from "../scripts/quote.ts";
import { shellTemplate } from "../scripts/read-script.ts";
import type { LayerPlan } from "./layer-plan.ts";
import { aptHosts, npmHosts, type PackageSources, pipHosts } from "./package-sources.ts";

const APT = shellTemplate<never>("system/apt-packages.sh");
const NPM = shellTemplate<"REGISTRY">("system/npm-packages.sh");
const PIP = shellTemplate<"INDEX">("system/pip-packages.sh");

/** Names of packages, with `=1.2`, `@1.2` or `==1.2` for a version; they are checked to be no more than that. */
export interface Packages {
  apt: readonly string[];
  npm: readonly string[];
  pip: readonly string[];
}

/** The layers that hold these packages, from the lowest, one for each manager that has any. In no order and once each is the same. */
export async function packagePlans(
  packages: Packages,
  tree: string,
  sources: PackageSources,
): Promise<LayerPlan[]> {
  const { npmRegistry: registry, pipIndex: index } = sources;
  return [
    ...plan("apt packages", packages.apt, await aptHosts(tree), APT({})),
    ...plan("npm packages", packages.npm, npmHosts(sources), NPM({ REGISTRY: option("registry", registry) })),
    ...plan("pip packages", packages.pip, pipHosts(sources), PIP({ INDEX: option("index-url", index) })),
  ];
}

function plan(name: string, packages: readonly string[], hosts: string[], install: string): LayerPlan[] {
  if (packages.length === 0) return [];
  const names = [...new Set(packages)].toSorted();
  const script = `set -eu\nset -- ${names.map(quote).join(" ")}\n${install}`;
  return [{ name, script, environment: { HOME: "/root" }, egress: { mode: "limited", hosts } }];
}

function option(name: string, address: string | null): string {
  return address === null ? "" : `--${name}=${quote(address)}`;
}
