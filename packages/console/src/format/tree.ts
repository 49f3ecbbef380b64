export type TreeNode = {
  name: string;
  /** The full path; a directory's ends in a slash. */
  path: string;
  /** The entries of a directory; null for a file. */
  children: TreeNode[] | null;
};

/** Returns the paths as a tree, directories first, sorted by name. A leading slash is not part of a name. */
export function treeOf(paths: readonly string[]): TreeNode[] {
  const root: TreeNode = { name: "", path: "", children: [] };
  for (const path of paths) {
    const names = path.replace(/^\//, "").split("/");
    let at = root;
    let before = path.startsWith("/") ? "/" : "";
    for (const name of names.slice(0, -1)) {
      before += `${name}/`;
      at = directoryIn(at, name, before);
    }
    at.children?.push({ name: names.at(-1) ?? "", path, children: null });
  }
  return sorted(root.children ?? []);
}

/** Returns the directories above a path. */
export function directoriesOf(path: string): string[] {
  return [...path.matchAll(/[^/]\//g)].map(({ index }) => path.slice(0, index + 2));
}

function directoryIn(parent: TreeNode, name: string, path: string): TreeNode {
  const known = parent.children?.find((child) => child.children !== null && child.name === name);
  if (known !== undefined) return known;
  const made: TreeNode = { name, path, children: [] };
  parent.children?.push(made);
  return made;
}

function sorted(nodes: readonly TreeNode[]): TreeNode[] {
  return nodes
    .map((node) => (node.children === null ? node : { ...node, children: sorted(node.children) }))
    .sort(
      (one, other) =>
        Number(one.children === null) - Number(other.children === null) ||
        one.name.localeCompare(other.name, "en"),
    );
}
