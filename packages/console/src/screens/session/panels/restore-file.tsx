import type { RepositoryChanges } from "@berth/sdk";
import { useState } from "react";
import { showUnseen } from "../../../format/visible-text.ts";
import { IconButton } from "../../../ui/button.tsx";
import { Confirm } from "../../../ui/confirm.tsx";
import { toast } from "../../../ui/toast.tsx";
import { useSession } from "../scope/session-context.ts";
import { restoreMessage } from "./restore-message.ts";

type Props = { repository: RepositoryChanges; file: RepositoryChanges["files"][number] };

/** Asks the agent, after a confirmation, to undo what it changed in a file. */
export function RestoreFile({ repository, file }: Props) {
  const { actions, closed } = useSession();
  const [asks, setAsks] = useState(false);
  const name = showUnseen(file.path.split("/").at(-1) ?? file.path);
  if (closed) return null;
  return (
    <>
      <IconButton
        icon="back"
        label={`Restore ${showUnseen(file.path)}`}
        className="mr-2 shrink-0"
        onClick={() => setAsks(true)}
      />
      <Confirm
        open={asks}
        onClose={() => setAsks(false)}
        title={`Restore ${name}?`}
        verb="Ask the agent"
        act={async () => {
          const text = restoreMessage(repository, file);
          await actions.send([{ type: "user.message", content: [{ type: "text", text }] }]);
          toast(`The agent is asked to restore ${name}`);
        }}
      >
        The agent gets a message to undo all changes of this file since the repository was cloned. Other files
        stay as they are.
      </Confirm>
    </>
  );
}
