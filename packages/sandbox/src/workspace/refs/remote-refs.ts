import { createHash } from "node:crypto";

/** The branches and tags of a repository, as its host shows them to one credential at one moment. */
export interface RemoteRefs {
  /** Full name of the branch that HEAD points at; null where it points at none that there is. */
  head: string | null;
  /** Object by full name, of everything below `refs/heads/` and `refs/tags/`. */
  objects: ReadonlyMap<string, string>;
}

/** The same for the same head, names and objects, and for nothing else. */
export function digestRefs({ head, objects }: RemoteRefs): string {
  const lines = [...objects].map(([name, object]) => `${object} ${name}\n`).sort();
  return createHash("sha256")
    .update(`HEAD ${head ?? ""}\n${lines.join("")}`)
    .digest("hex");
}

/** The commit at the end of a branch. */
export function tipOf({ objects }: RemoteRefs, branch: string): string | undefined {
  return objects.get(`refs/heads/${branch}`);
}

/** Short name of the branch that a clone checks out by itself. */
export function defaultBranch({ head }: RemoteRefs): string | null {
  return head === null ? null : head.slice("refs/heads/".length);
}

/** A branch or a tag by a name that git takes, which never holds a blank, a control character or a pattern. */
export function isRefName(name: string): boolean {
  if (!/^refs\/(heads|tags)\/./.test(name) || name.length > 1024) return false;
  if (/[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\.$/.test(name)) return false;
  return name.split("/").every((part) => part !== "" && !part.startsWith(".") && !part.endsWith(".lock"));
}

export function isObjectId(text: string): boolean {
  return /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}
