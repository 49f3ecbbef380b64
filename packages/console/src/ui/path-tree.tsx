import { type ReactNode, useMemo, useState } from "react";
import { directoriesOf, type TreeNode, treeOf } from "../format/tree.ts";
import { showUnseen } from "../format/visible-text.ts";
import { cx } from "./cx.ts";
import { Icon } from "./icon.tsx";

type Props = {
  label: string;
  paths: readonly string[];
  chosen: string | null;
  onChoose: (path: string) => void;
  /** Returns what is shown beside a file. */
  aside?: (path: string) => ReactNode;
};

/** Entries above which directories start closed. */
const MAX_OPEN = 80;

/** Shows a tree of paths, whose directories open and close. */
export function PathTree({ label, paths, chosen, onChoose, aside }: Props) {
  const nodes = useMemo(() => treeOf(paths), [paths]);
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const isOpenFirst = paths.length <= MAX_OPEN;
  const above = new Set(chosen === null ? [] : directoriesOf(chosen));
  const branch: BranchProps = {
    nodes,
    depth: 0,
    chosen,
    onChoose,
    aside,
    isOpen: (path) => toggled.has(path) !== (isOpenFirst || above.has(path)),
    onToggle: (path) =>
      setToggled((before) => {
        const next = new Set(before);
        if (!next.delete(path)) next.add(path);
        return next;
      }),
  };
  return (
    <nav aria-label={label} className="p-1.5">
      <Branch {...branch} />
    </nav>
  );
}

type BranchProps = {
  nodes: readonly TreeNode[];
  depth: number;
  chosen: string | null;
  onChoose: (path: string) => void;
  aside: Props["aside"];
  isOpen: (path: string) => boolean;
  onToggle: (path: string) => void;
};

function Branch({ nodes, ...rest }: BranchProps) {
  return (
    <ul>
      {nodes.map((node) => (
        <Node key={node.path} node={node} {...rest} />
      ))}
    </ul>
  );
}

function Node({ node, ...branch }: { node: TreeNode } & Omit<BranchProps, "nodes">) {
  const { depth, chosen, onChoose, aside, isOpen, onToggle } = branch;
  const { name, path, children } = node;
  const open = children !== null && isOpen(path);
  return (
    <li>
      <button
        type="button"
        aria-expanded={children === null ? undefined : open}
        aria-current={path === chosen || undefined}
        onClick={() => (children === null ? onChoose(path) : onToggle(path))}
        className={cx(
          "flex h-7 w-full items-center gap-1.5 rounded-md pr-2 text-left",
          path === chosen ? "bg-selected font-medium" : "text-muted hover:bg-hover hover:text-ink",
        )}
        style={{ paddingLeft: 6 + depth * 14 }}
      >
        {children === null ? (
          <Icon name="file" className="ml-4 size-3.5" />
        ) : (
          <>
            <Icon name={open ? "chevronDown" : "chevronRight"} className="-mr-0.5 size-3 text-faint" />
            <Icon name="folder" className="size-3.5" />
          </>
        )}
        <span className="min-w-0 flex-1 truncate">{showUnseen(name)}</span>
        {children === null && aside?.(path)}
      </button>
      {open && <Branch {...branch} nodes={children} depth={depth + 1} />}
    </li>
  );
}
