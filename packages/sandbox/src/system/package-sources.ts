import { readdir, readFile } from "node:fs/promises";
import { packageHosts } from "./package-hosts.ts";

/** Where packages for sandboxes come from. */
export interface PackageSources {
  /** https address without a login; null: npm's public registry. */
  npmRegistry: string | null;
  /** https address of a simple index without a login; null: PyPI. */
  pipIndex: string | null;
}

/** The hosts that apt asks in a tree, as its own lists of sources name them. */
export async function aptHosts(tree: string): Promise<string[]> {
  const parts = `${tree}/etc/apt/sources.list.d`;
  const names = await readdir(parts).catch(() => []);
  const files = [`${tree}/etc/apt/sources.list`, ...names.map((name) => `${parts}/${name}`)];
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8").catch(() => "")));
  const text = texts.join("\n").replaceAll(/^\s*#.*$/gm, "");
  return [...new Set((text.match(/\bhttps?:\/\/[^\s\]]+/g) ?? []).map((url) => new URL(url).host))];
}

export function npmHosts({ npmRegistry }: PackageSources): string[] {
  return npmRegistry === null ? [...packageHosts.npm] : [new URL(npmRegistry).host];
}

export function pipHosts({ pipIndex }: PackageSources): string[] {
  return pipIndex === null ? [...packageHosts.pip] : [new URL(pipIndex).host];
}
