import type { RepositoryChanges } from "@berth/sdk";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { berth } from "../../../api/client.ts";
import { type DiffLine, parseUnified } from "../../../format/diff-lines.ts";
import { formatCount } from "../../../format/numbers.ts";
import { showUnseen } from "../../../format/visible-text.ts";
import { Spinner } from "../../../ui/button.tsx";
import { cx } from "../../../ui/cx.ts";
import { DiffView, type LineChoice } from "../../../ui/diff-view.tsx";
import { ErrorBox } from "../../../ui/error-box.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { type CommentedLine, isAbout } from "../comments/comments.ts";
import { useCommentDrafts } from "../comments/use-comments.ts";
import { useSession } from "../scope/session-context.ts";
import { RestoreFile } from "./restore-file.tsx";

type File = RepositoryChanges["files"][number];

type Diff = Awaited<ReturnType<typeof berth.sessions.changes.diff>>;

type Props = {
  repository: RepositoryChanges;
  file: File;
  split: boolean;
  /** Changes when the file may have changed. */
  version: string;
};

const LETTERS: Record<File["status"], { letter: string; look: string }> = {
  added: { letter: "A", look: "text-ok" },
  modified: { letter: "M", look: "text-info" },
  deleted: { letter: "D", look: "text-bad" },
  renamed: { letter: "R", look: "text-think" },
  type_changed: { letter: "T", look: "text-warn" },
};

/** Shows a changed file, its diff on click, and what restores it. */
export function ChangedFile(props: Props) {
  const { repository, file } = props;
  const [open, setOpen] = useState(false);
  const { letter, look } = LETTERS[file.status];
  return (
    <li className="border-t border-line">
      <div className="flex items-center">
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="flex h-8 min-w-0 flex-1 items-center gap-2 px-4 text-left -outline-offset-2 hover:bg-hover"
        >
          <Icon name={open ? "chevronDown" : "chevronRight"} className="size-3.5 text-faint" />
          <abbr
            title={file.status.replace("_", " ")}
            className={cx("w-3 font-mono text-xs font-semibold no-underline", look)}
          >
            {letter}
          </abbr>
          <span className="min-w-0 flex-1 truncate font-mono text-xs" title={file.path}>
            {file.old_path !== null && <span className="text-faint">{showUnseen(file.old_path)} → </span>}
            {showUnseen(file.path)}
          </span>
          <Counts file={file} />
        </button>
        <RestoreFile repository={repository} file={file} />
      </div>
      {open && <FileDiff {...props} />}
    </li>
  );
}

function Counts({ file: { additions, deletions, binary, type } }: { file: File }) {
  if (binary || type !== "file")
    return <span className="text-xs text-faint">{binary ? "binary" : type}</span>;
  return (
    <span className="flex gap-1.5 font-mono text-xs">
      {additions !== null && additions > 0 && <span className="text-ok">+{formatCount(additions)}</span>}
      {deletions !== null && deletions > 0 && <span className="text-bad">−{formatCount(deletions)}</span>}
    </span>
  );
}

function notCompared({ path, binary }: File, { large_files }: Diff): string {
  if (large_files.includes(path)) return "The file is too large to compare.";
  return binary ? "A binary file." : "There are no lines to compare.";
}

function FileDiff({ repository, file, split, version }: Props) {
  const { session } = useSession();
  const { resource_id: resourceId, mount_path } = repository;
  const choice = useCommentChoice(resourceId, mount_path, file);
  const { data, error, refetch } = useQuery({
    queryKey: ["changes", session.id, "diff", resourceId, file.path, version],
    queryFn: ({ signal }) =>
      berth.sessions.changes.diff(session.id, resourceId, { path: file.path }, { signal }),
    placeholderData: (before) => before,
  });
  const hunks = useMemo(() => parseUnified(data?.diff ?? ""), [data]);
  if (error !== null) return <ErrorBox error={error} retry={() => void refetch()} className="m-3" />;
  if (data === undefined) return <Spinner className="m-3 text-faint" />;
  return (
    <div className="border-t border-line">
      {hunks.length === 0 ? (
        <p className="px-4 py-2 text-muted">{notCompared(file, data)}</p>
      ) : (
        <DiffView hunks={hunks} path={file.path} split={split} choice={choice} />
      )}
      {data.truncated && (
        <p className="px-4 py-2 text-xs text-warn">The diff is cut here: it is larger than 1 MiB.</p>
      )}
    </div>
  );
}

/** Lets lines be chosen for a comment, where there are comments. */
function useCommentChoice(resourceId: string, root: string, file: File): LineChoice | undefined {
  const drafts = useCommentDrafts();
  const { path, old_path } = file;
  const own = useMemo(
    () => drafts?.comments.list.filter((one) => one.resourceId === resourceId) ?? [],
    [drafts?.comments.list, resourceId],
  );
  const openLine = drafts?.openLine;
  return useMemo(() => {
    if (openLine === undefined) return undefined;
    const placeOf = (line: DiffLine): CommentedLine => {
      const side = line.kind === "removed" ? "old" : "new";
      const place = `${root}/${side === "old" ? (old_path ?? path) : path}`;
      return { resourceId, file: place, side, line: line[side] ?? 0, quote: line.text };
    };
    return {
      verb: "Comment on",
      choose: (line) => openLine(placeOf(line)),
      isMarked: (line) => own.some((one) => isAbout(one, placeOf(line))),
    };
  }, [openLine, own, resourceId, root, path, old_path]);
}
