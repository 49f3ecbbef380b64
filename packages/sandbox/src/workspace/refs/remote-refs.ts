import { createHash } from "node:crypto";

/** The branches and tags that a repository's host showed to one credential at one time. */
export interface RemoteRefs {
  /** Full name of the branch that HEAD points at; null when it points at no existing branch. */
  head: string | null;
  /** Object ids by full ref name, below `refs/heads/` and `refs/tags/`. */
  objects: ReadonlyMap<string, string>;
}

/** Returns a hash of head, names and objects, independent of their order. */
export function digestRefs({ head, objects }: RemoteRefs): string {
  const lines = [...objects].map(([name, object]) => `${object} ${name}\n`).sort();
  return createHash("sha256")
    .update(`HEAD ${head ?? ""}\n${lines.join("")}`)
    .digest("hex");
}

/** Returns the object id of a branch; undefined when it does not exist. */
export function branchTip({ objects }: RemoteRefs, branch: string): string | undefined {
  return objects.get(`refs/heads/${branch}`);
}

/** Returns the short name of the branch that a clone checks out by default; null when there is none. */
export function defaultBranch({ head }: RemoteRefs): string | null {
  return head === null ? null : head.slice("refs/heads/".length);
}

/**
 * Returns whether this is the full name of a branch or tag by git's rules, which exclude blanks, control
 * characters and patterns.
 */
export function isRefName(name: string): boolean {
  if (!/^refs\/(heads|tags)\/./.test(name) || name.length > 1024) return false;
  if (/[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\.$/.test(name)) return false;
  return name.split("/").every((part) => part !== "" && !part.startsWith(".") && !part.endsWith(".lock"));
}

export function isObjectId(text: string): boolean {
  return /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}
