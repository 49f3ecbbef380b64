import { ConflictError } from "@berth/sdk";
import { Empty } from "../../../ui/empty.tsx";
import { ErrorBox } from "../../../ui/error-box.tsx";

/** Explains why the session's disk cannot be read: there is none, or the read failed. */
export function NoDisk({ error, retry }: { error: unknown; retry: () => void }) {
  if (error instanceof ConflictError)
    return (
      <Empty icon="folder" title="The session has no disk now">
        {error.message}
      </Empty>
    );
  return <ErrorBox error={error} retry={retry} className="m-4" />;
}
