import type { RepositoryChanges } from "@berth/sdk";
import { useQuery } from "@tanstack/react-query";
import { connectionChoices } from "../../../api/queries/connections.ts";
import { hostPage } from "../../../format/host-page.ts";
import { buttonClass } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/icon.tsx";

/** Links to a repository at its host: to the branch if its newest commit was pushed. Nothing for unknown hosts. */
export function HostLink({ repository: { url, branch, commits } }: { repository: RepositoryChanges }) {
  const { data: connections = [] } = useQuery(connectionChoices);
  const page = hostPage(url, commits[0]?.pushed ? branch : null, connections);
  if (page === null) return null;
  return (
    <a href={page} target="_blank" rel="noopener noreferrer" className={buttonClass("quiet", "small")}>
      <Icon name="external" />
      Open on host
    </a>
  );
}
