import type { Operation } from "@berth/sdk";

/**
 * The words of an operation's command: what all paths of its noun begin with, and its verb. So `vaultCredentials.create`
 * of `/vaults/{vault_id}/credentials` is `vaults credentials create`.
 */
export function commandWords(noun: readonly Operation[], verb: string): string[] {
  const [first = [], ...rest] = noun.map(({ path }) => staticSegments(path));
  const shared = first.filter((_, index) =>
    rest.every((segments) => first.slice(0, index + 1).every((word, at) => segments[at] === word)),
  );
  return [...shared, verb].map(kebab);
}

/** The names of a path's parameters, in their order: the arguments of its command. */
export function pathParams({ path }: Operation): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

/** The words below the API's prefix, without parameters. */
function staticSegments(path: string): string[] {
  return path
    .replace(/^\/api\/v1\/(cloud\/)?/, "")
    .split("/")
    .filter((segment) => !segment.startsWith("{"));
}

function kebab(word: string): string {
  return word.replaceAll("_", "-").replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
