import { berth } from "../../api/client.ts";
import type { StoredFile } from "../../api/queries/files.ts";
import { queryClient } from "../../api/query-client.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { toast } from "../../ui/toast.tsx";

type Props = { file: StoredFile; open: boolean; onClose: () => void; onDeleted?: () => void };

/** Asks before a file is deleted. */
export function DeleteFile({ file: { id, filename }, open, onClose, onDeleted }: Props) {
  return (
    <Confirm
      open={open}
      onClose={onClose}
      title={`Delete “${filename}”?`}
      verb="Delete"
      danger
      act={async () => {
        await berth.files.delete(id);
        queryClient.removeQueries({ queryKey: ["files", id] });
        void queryClient.invalidateQueries({ queryKey: ["files"] });
        toast(`${filename} is deleted`);
        onDeleted?.();
      }}
    >
      Its content is deleted for good. It cannot be deleted while a session that is not archived or terminated
      uses it.
    </Confirm>
  );
}
