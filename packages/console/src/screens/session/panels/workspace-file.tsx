import { useQuery } from "@tanstack/react-query";
import { berth } from "../../../api/client.ts";
import { formatBytes } from "../../../format/numbers.ts";
import { showUnseen } from "../../../format/visible-text.ts";
import { Button, Spinner } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { ErrorBox } from "../../../ui/error-box.tsx";
import { BlobView } from "../../../ui/file-preview.tsx";
import { downloadBlob } from "../../../ui/text-viewer.tsx";
import { toastError } from "../../../ui/toast.tsx";
import { useSession } from "../scope/session-context.ts";

/** Bytes above which a file is only offered for download. */
const MAX_PREVIEW = 8 * 1024 * 1024;

/** Shows a current file of the sandbox. */
export function WorkspaceFile({ path, size, onClose }: { path: string; size: number; onClose: () => void }) {
  const { session } = useSession();
  const name = path.split("/").at(-1) ?? path;
  const read = async (signal?: AbortSignal) =>
    await (await berth.sessions.workspace.content(session.id, { path }, { signal })).blob();
  const fits = size <= MAX_PREVIEW;
  const content = useQuery({
    queryKey: ["workspace", session.id, "content", path, size],
    queryFn: ({ signal }) => read(signal),
    enabled: fits,
    gcTime: 0,
  });
  const save = async () => downloadBlob(content.data ?? (await read()), name);
  return (
    <Dialog
      open
      onClose={onClose}
      title={showUnseen(name)}
      description={`${path} · ${formatBytes(size)}`}
      size="large"
      actions={
        <>
          <Button
            icon="download"
            onClick={() =>
              void save().catch((error: Error) => toastError(`${name} could not be read`, error.message))
            }
          >
            Download
          </Button>
          <Button look="primary" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      {!fits && <p className="text-muted">The file is too large to show here. Download it.</p>}
      {content.error !== null && <ErrorBox error={content.error} retry={() => void content.refetch()} />}
      {content.isFetching && content.data === undefined && <Spinner className="text-faint" />}
      {content.data !== undefined && (
        <BlobView blob={content.data} name={path} type={content.data.type.split(";")[0] ?? ""} />
      )}
    </Dialog>
  );
}
