import { useQuery } from "@tanstack/react-query";
import { skillFileQuery } from "../../api/queries/skills.ts";
import { hunksBetween } from "../../format/diff-lines.ts";
import { Spinner } from "../../ui/button.tsx";
import { DiffView } from "../../ui/diff-view.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";

type Props = { skillId: string; path: string; from: number; to: number };

/** Shows the diff of a file between two versions of a skill. */
export function FileDiff({ skillId, path, from, to }: Props) {
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
  if (hunks.data.length === 0) return <p className="p-6 text-center text-muted">The text is the same.</p>;
  return <DiffView hunks={hunks.data} path={path} />;
}
