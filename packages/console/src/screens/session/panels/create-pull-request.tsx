import { type PullRequest, pullRequestMessage, type RepositoryChanges } from "@berth/sdk";
import { useState } from "react";
import { Button } from "../../../ui/button.tsx";
import { Confirm } from "../../../ui/confirm.tsx";
import { toast } from "../../../ui/toast.tsx";
import { useSession } from "../scope/session-context.ts";

type Props = {
  repository: RepositoryChanges;
  /** The pull requests of its branches. */
  known: readonly PullRequest[];
};

/**
 * Asks the agent, after a confirmation, to push its commits and to open a pull request, or to update the one
 * that is open. Nothing if that one, or one that is merged, has all commits.
 */
export function CreatePullRequest({ repository, known }: Props) {
  const { actions, closed } = useSession();
  const [asks, setAsks] = useState(false);
  const hasCommits = repository.commit_count > 0;
  const states = known.filter(({ head }) => head === repository.branch).map(({ state }) => state);
  const isOpen = states.includes("open") || states.includes("draft");
  if (closed || repository.status !== "compared") return null;
  if ((isOpen || states.includes("merged")) && repository.commits.every(({ pushed }) => pushed)) return null;
  return (
    <>
      <Button
        size="small"
        icon="branch"
        disabled={!hasCommits}
        title={hasCommits ? undefined : "There are no commits yet."}
        onClick={() => setAsks(true)}
      >
        {isOpen ? "Update pull request" : "Create pull request"}
      </Button>
      <Confirm
        open={asks}
        onClose={() => setAsks(false)}
        title={isOpen ? "Update the pull request?" : "Create a pull request?"}
        verb="Ask the agent"
        act={async () => {
          const text = pullRequestMessage(repository);
          await actions.send([{ type: "user.message", content: [{ type: "text", text }] }]);
          toast(`The agent is asked to ${isOpen ? "update the" : "open a"} pull request`);
        }}
      >
        {isOpen
          ? "The agent gets a message to push its commits to the branch of the pull request that is open, with the session's credential."
          : "The agent gets a message to push its commits and to open a pull request with a title and a body of its own, with the session's credential. Its answer has the URL."}{" "}
        Changes that are not committed are left out.
      </Confirm>
    </>
  );
}
