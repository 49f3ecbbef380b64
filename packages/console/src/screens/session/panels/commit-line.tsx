import { showUnseen } from "../../../format/visible-text.ts";
import { Badge } from "../../../ui/badge.tsx";
import { CopyId } from "../../../ui/copy.tsx";
import { Ago } from "../../../ui/moment.tsx";

type Commit = {
  sha: string;
  subject: string;
  author: { name: string; email: string };
  authored_at: string | null;
  pushed: boolean;
};

export function CommitLine({ commit }: { commit: Commit }) {
  return (
    <li className="flex items-center gap-2 px-4 py-1">
      <span className="w-20 shrink-0 overflow-hidden">
        <CopyId id={commit.sha} />
      </span>
      <span className="min-w-0 flex-1 truncate" title={`${commit.author.name} <${commit.author.email}>`}>
        {showUnseen(commit.subject)}
      </span>
      {commit.authored_at !== null && (
        <Ago at={commit.authored_at} className="text-xs whitespace-nowrap text-faint" />
      )}
      <Badge tone={commit.pushed ? "ok" : "warn"}>{commit.pushed ? "pushed" : "not pushed"}</Badge>
    </li>
  );
}
