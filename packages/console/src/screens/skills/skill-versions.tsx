import type { Skill, SkillVersion } from "@berth/sdk";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { berth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { useList } from "../../api/use-list.ts";
import { formatBytes, formatPlural } from "../../format/numbers.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { Badge } from "../../ui/badge.tsx";
import { IconButton, Spinner } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { CopyId } from "../../ui/copy.tsx";
import { cx } from "../../ui/cx.ts";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Ago } from "../../ui/moment.tsx";
import { ShowMore } from "../../ui/show-more.tsx";
import { toast } from "../../ui/toast.tsx";
import { changesBetween, type FileChange } from "./skill-files.ts";

/** Shows the versions of a skill, each with its changes. */
export function SkillVersions({ skill }: { skill: Skill }) {
  const [deleting, setDeleting] = useState<SkillVersion | null>(null);
  const list = useList(["skills", skill.id, "versions"], () =>
    berth.skills.versions(skill.id, { limit: 100 }),
  );
  return (
    <div className="mx-auto max-w-4xl p-4">
      {list.error !== null && <ErrorBox error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <Spinner className="text-faint" />}
      <ol className="flex flex-col gap-3">
        {list.items.map((version, index) => (
          <VersionCard
            key={version.id}
            version={version}
            before={list.items[index + 1]}
            isNewest={index === 0}
            onDelete={list.items.length > 1 ? () => setDeleting(version) : null}
          />
        ))}
      </ol>
      <ShowMore list={list} className="p-4 text-center" />
      <Confirm
        open={deleting !== null}
        onClose={() => setDeleting(null)}
        title={`Delete version ${deleting?.version}?`}
        verb="Delete"
        danger
        act={async () => {
          if (deleting === null) return;
          await berth.skills.deleteVersion(skill.id, deleting.version);
          await queryClient.invalidateQueries({ queryKey: ["skills"] });
          toast(`Version ${deleting.version} is deleted`);
        }}
      >
        Its files are deleted for good, and its number is not used again. A version that an agent or a session
        uses cannot be deleted.
      </Confirm>
    </div>
  );
}

type CardProps = {
  version: SkillVersion;
  before: SkillVersion | undefined;
  isNewest: boolean;
  /** Deletes the version; null for the only version. */
  onDelete: (() => void) | null;
};

function VersionCard({ version, before, isNewest, onDelete }: CardProps) {
  const { skill_id: skillId, version: number, description, files, size_bytes, created_at, id } = version;
  return (
    <li className="overflow-hidden rounded-xl border border-line">
      <div className="flex items-center gap-3 border-b border-line bg-panel px-3 py-2">
        <Link
          to="/skills/$skillId"
          params={{ skillId }}
          search={{ version: number }}
          className="font-medium hover:underline"
        >
          Version {number}
        </Link>
        {isNewest && <Badge tone="accent">newest</Badge>}
        <CopyId id={id} short className="max-sm:hidden" />
        <span className="ml-auto text-xs text-faint">
          {formatPlural(files.length, "file")}, {formatBytes(size_bytes)} · <Ago at={created_at} />
        </span>
        {onDelete !== null && (
          <IconButton icon="trash" label={`Delete version ${number}`} onClick={onDelete} />
        )}
      </div>
      <div className="px-3 py-2.5">
        <p className="text-muted">{showUnseen(description)}</p>
        {before !== undefined && (
          <ChangeList skillId={skillId} number={number} changes={changesBetween(before, version)} />
        )}
      </div>
    </li>
  );
}

const SIGNS = { added: "+", changed: "~", removed: "−" } as const;
const LOOKS = { added: "text-ok", changed: "text-warn", removed: "text-bad" } as const;

type ChangeProps = { skillId: string; number: number; changes: readonly FileChange[] };

function ChangeList({ skillId, number, changes }: ChangeProps) {
  if (changes.length === 0)
    return <p className="mt-2 text-xs text-faint">The same files as in the previous version.</p>;
  return (
    <ul aria-label="Changed files" className="mt-2 flex flex-col gap-0.5 font-mono text-xs">
      {changes.map(({ path, kind }) => (
        <li key={path} className="flex gap-2">
          <span className={cx("w-3 text-center", LOOKS[kind])} title={kind}>
            {SIGNS[kind]}
            <span className="sr-only">{kind}</span>
          </span>
          {kind === "removed" ? (
            <span className="truncate text-muted">{showUnseen(path)}</span>
          ) : (
            <Link
              to="/skills/$skillId"
              params={{ skillId }}
              search={{ version: number, path }}
              className="truncate hover:underline"
            >
              {showUnseen(path)}
            </Link>
          )}
        </li>
      ))}
    </ul>
  );
}
