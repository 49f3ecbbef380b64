import type { RepositoryChanges, RepositoryPatch } from "@berth/sdk";
import { useState } from "react";
import { berth } from "../../../api/client.ts";
import { useMutation } from "../../../api/use-mutation.ts";
import { formatPlural } from "../../../format/numbers.ts";
import { showUnseen } from "../../../format/visible-text.ts";
import { IconButton } from "../../../ui/button.tsx";
import { ErrorBox } from "../../../ui/error-box.tsx";
import { downloadText } from "../../../ui/text-viewer.tsx";
import { useSession } from "../scope/session-context.ts";

/** Returns a button that saves a repository's changes for `git apply`, and a note about what is left out. */
export function usePatch({ resource_id, mount_path, status, file_count }: RepositoryChanges) {
  const { session } = useSession();
  const [saved, setSaved] = useState<RepositoryPatch | null>(null);
  const save = useMutation({
    mutationFn: () => berth.sessions.changes.patch(session.id, resource_id),
    onSuccess: (found) => {
      setSaved(found);
      if (found.patch !== "") downloadText(found.patch, `${mount_path.split("/").at(-1)}.patch`);
    },
  });
  const button = status === "compared" && file_count > 0 && (
    <IconButton
      icon="download"
      label="Download a patch for git apply"
      disabled={save.isPending}
      onClick={() => save.mutate()}
    />
  );
  const note = save.isError ? (
    <ErrorBox error={save.error} className="mx-4 mb-2" />
  ) : (
    saved !== null && <LeftOut patch={saved} />
  );
  return { button, note };
}

function LeftOut({ patch: { left_out, more_left_out } }: { patch: RepositoryPatch }) {
  const count = left_out.length + more_left_out;
  if (count === 0) return null;
  return (
    <div className="px-4 pb-2 text-xs text-warn">
      <p>The patch leaves out {formatPlural(count, "changed file")}:</p>
      <ul aria-label="Not in the patch" className="max-h-40 overflow-y-auto">
        {left_out.map(({ path, reason }) => (
          <li key={path} className="break-words">
            <span className="font-mono">{showUnseen(path)}</span>: {reason}
          </li>
        ))}
        {more_left_out > 0 && <li>and {more_left_out} more</li>}
      </ul>
    </div>
  );
}
