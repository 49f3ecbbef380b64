import type { Skill, SkillVersion } from "@berth/sdk";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { berth } from "../../api/client.ts";
import { skillFileQuery, skillVersionQuery } from "../../api/queries/skills.ts";
import { useList } from "../../api/use-list.ts";
import { hunksBetween } from "../../format/diff-lines.ts";
import { formatBytes, formatPlural } from "../../format/numbers.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { Badge } from "../../ui/badge.tsx";
import { IconButton, Spinner } from "../../ui/button.tsx";
import { cx } from "../../ui/cx.ts";
import { DiffView } from "../../ui/diff-view.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { BlobView } from "../../ui/file-preview.tsx";
import { Segments } from "../../ui/form-section.tsx";
import { PathTree } from "../../ui/path-tree.tsx";
import { Select } from "../../ui/select.tsx";
import { downloadBlob } from "../../ui/text-viewer.tsx";

const route = getRouteApi("/skills/$skillId");

/** Shows the files of a version as a tree, with the text of one of them. */
export function SkillContents({ skill }: { skill: Skill }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const number = search.version ?? skill.latest_version;
  const version = useQuery(skillVersionQuery(skill.id, number));
  const versions = useList(["skills", skill.id, "versions"], () =>
    berth.skills.versions(skill.id, { limit: 100 }),
  );
  const paths = useMemo(() => version.data?.files.map(({ path }) => path) ?? [], [version.data]);
  const path = search.path ?? "SKILL.md";
  const numbers = [...new Set([skill.latest_version, number, ...versions.items.map((one) => one.version)])];
  const before = versions.items.find((one) => one.version < number);
  return (
    <div className="grid h-full min-h-0 content-start max-md:overflow-y-auto md:content-stretch md:grid-cols-[15rem_minmax(0,1fr)]">
      <div className="min-w-0 border-line max-md:border-b md:overflow-y-auto md:border-r">
        <div className="border-b border-line p-2">
          <Select
            label="Version"
            value={String(number)}
            choices={numbers
              .sort((one, other) => other - one)
              .map((one) => ({
                value: String(one),
                label: one === skill.latest_version ? `Version ${one}, the newest` : `Version ${one}`,
              }))}
            onChange={(next) =>
              void navigate({
                search: (now) => ({ ...now, version: Number(next) }),
                replace: true,
              })
            }
          />
        </div>
        {version.data !== undefined && (
          <>
            <PathTree
              label="Files of the skill"
              paths={paths}
              chosen={path}
              onChoose={(next) => void navigate({ search: (now) => ({ ...now, path: next }), replace: true })}
            />
            <p className="px-3 pb-3 text-xs text-faint">
              {formatPlural(paths.length, "file")}, {formatBytes(version.data.size_bytes)}
            </p>
          </>
        )}
      </div>
      <div className="min-w-0 md:overflow-y-auto">
        {version.error !== null && <ErrorBox error={version.error} className="m-4" />}
        {version.isPending && <Spinner className="m-4 text-faint" />}
        {version.data !== undefined && (
          <SkillFileView
            key={`${number} ${path}`}
            skillId={skill.id}
            version={version.data}
            before={before}
            path={path}
          />
        )}
      </div>
    </div>
  );
}

type ViewProps = {
  skillId: string;
  version: SkillVersion;
  before: SkillVersion | undefined;
  path: string;
};

function SkillFileView({ skillId, version, before, path }: ViewProps) {
  const [look, setLook] = useState<"text" | "changes">("text");
  const file = version.files.find((one) => one.path === path);
  const was = before?.files.find((one) => one.path === path);
  const hasChanged = file !== undefined && was !== undefined && was.content_sha256 !== file.content_sha256;
  const content = useQuery({
    ...skillFileQuery(skillId, version.version, path),
    enabled: file !== undefined,
  });
  if (file === undefined)
    return (
      <p className="p-6 text-muted">
        Version {version.version} has no file at {showUnseen(path)}.
      </p>
    );
  return (
    <>
      <div className="sticky top-0 z-10 flex min-h-11 items-center gap-2.5 border-b border-line bg-canvas px-4 py-1.5">
        <span className="min-w-0 truncate font-mono text-xs">{showUnseen(path)}</span>
        <span className="text-xs whitespace-nowrap text-faint">{formatBytes(file.size_bytes)}</span>
        {file.executable && <Badge>executable</Badge>}
        <span className="ml-auto flex items-center gap-2">
          {hasChanged && (
            <Segments
              label="View of the file"
              value={look}
              choices={[
                { value: "text", label: "Text" },
                { value: "changes", label: `Since version ${before?.version}` },
              ]}
              onChange={setLook}
            />
          )}
          <IconButton
            icon="download"
            label={`Download ${path}`}
            disabled={content.data === undefined}
            onClick={() => content.data && downloadBlob(content.data, path)}
          />
        </span>
      </div>
      <div className={cx(look === "text" && "p-4")}>
        {content.error !== null && (
          <ErrorBox error={content.error} retry={() => void content.refetch()} className="m-4" />
        )}
        {content.isLoading && <Spinner className="m-4 text-faint" />}
        {content.data !== undefined && look === "text" && (
          <BlobView blob={content.data} name={path} type={content.data.type} />
        )}
        {look === "changes" && before !== undefined && (
          <FileDiff skillId={skillId} path={path} from={before.version} to={version.version} />
        )}
      </div>
    </>
  );
}

type Props = { skillId: string; path: string; from: number; to: number };

/** Shows the diff of a file between two versions of a skill. */
function FileDiff({ skillId, path, from, to }: Props) {
  const before = useQuery(skillFileQuery(skillId, from, path));
  const after = useQuery(skillFileQuery(skillId, to, path));
  const hunks = useQuery({
    queryKey: ["skills", skillId, "diff", path, from, to],
    queryFn: async () => hunksBetween((await before.data?.text()) ?? "", (await after.data?.text()) ?? ""),
    enabled: before.data !== undefined && after.data !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const error = before.error ?? after.error ?? hunks.error;
  if (error !== null) return <ErrorBox error={error} className="m-4" />;
  if (hunks.data === undefined) return <Spinner className="m-4 text-faint" />;
  if (hunks.data.length === 0) return <p className="p-6 text-center text-muted">The text did not change.</p>;
  return <DiffView hunks={hunks.data} path={path} />;
}
