import { quote } from "../commands/command-script.ts";
import type { LayerPlan } from "./layer-plan.ts";
import { aptHosts, npmHosts, type PackageSources, pipHosts } from "./package-sources.ts";

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
    ...plan("apt packages", packages.apt, await aptHosts(tree), APT),
    ...plan("npm packages", packages.npm, npmHosts(sources), npmScript(registry)),
    ...plan("pip packages", packages.pip, pipHosts(sources), pipScript(index)),
  ];
}

function plan(name: string, packages: readonly string[], hosts: string[], install: string): LayerPlan[] {
  if (packages.length === 0) return [];
  const names = [...new Set(packages)].toSorted();
  const script = `set -eu\nset -- ${names.map(quote).join(" ")}\n${install}`;
  return [{ name, script, environment: { HOME: "/root" }, egress: { mode: "limited", hosts } }];
}

/** apt takes a name that no package has for a pattern, if it could be one, so each is looked for first. The layer is synced as a whole. */
const APT = `export DEBIAN_FRONTEND=noninteractive
apt-get update -qq -o Acquire::Retries=3
for package in "$@"; do
  apt-cache show -- "\${package%%=*}" >/dev/null 2>&1 || { echo "E: Unable to locate package \${package%%=*}"; exit 100; }
done
apt-get install -qq -y --no-install-recommends -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-unsafe-io -- "$@" </dev/null
apt-get clean
rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log /var/cache/ldconfig
`;

function npmScript(registry: string | null): string {
  const from = registry === null ? "" : `--registry=${quote(registry)}`;
  return `cd /tmp
npm install --global --prefix=/usr/local --cache=/tmp/npm --no-audit --no-fund --no-update-notifier --loglevel=error ${from} -- "$@" </dev/null
rm -rf /root/.npm
`;
}

function pipScript(index: string | null): string {
  const from = index === null ? "" : `--index-url=${quote(index)}`;
  return `cd /tmp
PIP_CONFIG_FILE=/dev/null pip3 install --quiet --no-input --no-cache-dir --disable-pip-version-check --break-system-packages --root-user-action=ignore ${from} -- "$@" </dev/null
rm -rf /root/.cache
`;
}
