import { useEffect, useRef } from "react";
import { berth } from "../../../api/client.ts";
import { queryClient } from "../../../api/query-client.ts";
import { useList } from "../../../api/use-list.ts";
import { Empty } from "../../../ui/empty.tsx";
import { ErrorBox } from "../../../ui/error-box.tsx";
import { FileLine } from "../../../ui/file-line.tsx";
import { ShowMore } from "../../../ui/show-more.tsx";
import type { SessionView } from "../log/view.ts";
import { useSession } from "../scope/session-context.ts";

/** Shows the files in the agent's outputs directory, the newest of each name, with previews. */
export function FilesPanel({ view }: { view: SessionView }) {
  const { session } = useSession();
  const key = ["files", "of session", session.id];
  const list = useList(key, () => berth.files.list({ scope_id: session.id, limit: 50 }));
  useRefreshAtTurnEnd(key, view);
  if (list.error !== null)
    return <ErrorBox error={list.error} retry={() => void list.refetch()} className="m-4" />;
  const current = list.items.filter((file) => file.current !== false);
  if (list.isSuccess && current.length === 0)
    return (
      <Empty icon="folder" title="No outputs yet" command={`berth files list -q scope_id=${session.id}`}>
        Outputs are files that the agent writes below /mnt/session/outputs. They are saved at the end of each
        turn: ask the agent for one.
      </Empty>
    );
  return (
    <div className="h-full overflow-y-auto">
      <ul>
        {current.map((file) => (
          <FileLine key={file.id} file={file} />
        ))}
      </ul>
      <ShowMore list={list} className="p-4 text-center" />
    </div>
  );
}

/** Reads the outputs again when a turn ends: they are stored before the turn is reported as ended. */
function useRefreshAtTurnEnd(key: readonly string[], { status, turn }: SessionView): void {
  const seen = useRef(`${status} ${turn}`);
  useEffect(() => {
    const now = `${status} ${turn}`;
    if (seen.current === now) return;
    seen.current = now;
    if (status === "idle") void queryClient.invalidateQueries({ queryKey: key });
  });
}
