import type { Operation } from "./operation.ts";

/**
 * Returns the words of an operation's command: the segments that all paths of its noun start with, then the
 * verb. For example `vaultCredentials.create`, with the path `/vaults/{vault_id}/credentials`, is `vaults
 * credentials create`. A noun whose only operation is `get` has no verb: `whoami`.
 */
export function commandWords(noun: readonly Operation[], verb: string): string[] {
  const [first = [], ...rest] = noun.map(({ path }) => staticSegments(path));
  const shared = first.filter((_, index) =>
    rest.every((segments) => first.slice(0, index + 1).every((word, at) => segments[at] === word)),
  );
  const isGotOnly = noun.length === 1 && verb === "get";
  return [...shared, ...(isGotOnly ? [] : [verb])].map(kebab);
}

/** Returns the parameters of a path in order, which are the arguments of the command. */
export function pathParams({ path }: Operation): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

/** Returns the segments of a path without the API's prefix and without parameters. */
function staticSegments(path: string): string[] {
  return path
    .replace(/^\/api\/v1\/(cloud\/)?/, "")
    .split("/")
    .filter((segment) => !segment.startsWith("{"));
}

function kebab(word: string): string {
  return word.replaceAll("_", "-").replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
