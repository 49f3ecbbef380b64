import type { Preview } from "@berth/sdk";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { berth } from "../../../api/client.ts";
import { queryClient } from "../../../api/query-client.ts";
import { useMutation } from "../../../api/use-mutation.ts";
import { Button, buttonClass, IconButton } from "../../../ui/button.tsx";
import { Confirm } from "../../../ui/confirm.tsx";
import { useCopy } from "../../../ui/copy.tsx";
import { Empty } from "../../../ui/empty.tsx";
import { ErrorBox } from "../../../ui/error-box.tsx";
import { TextField } from "../../../ui/field.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Until } from "../../../ui/moment.tsx";
import { useSession } from "../scope/session-context.ts";

const keyOf = (sessionId: string) => ["previews", sessionId];

/** Shows the ports of the sandbox that browsers can open: open, copy, add and delete. */
export function PreviewsPanel() {
  const { session, closed } = useSession();
  const { data, error } = useQuery({
    queryKey: keyOf(session.id),
    queryFn: async ({ signal }) =>
      (await berth.sessions.previews.list(session.id, { limit: 100 }, { signal })).data,
  });
  return (
    <div className="h-full overflow-y-auto">
      {!closed && <AddPreview />}
      {error !== null && <ErrorBox error={error} />}
      {data?.length === 0 && (
        <Empty icon="screen" title="No previews yet">
          A preview opens a port of the sandbox in your browser, such as a web app that the agent runs.
        </Empty>
      )}
      <ul>
        {data?.map((preview) => (
          <PreviewLine key={preview.id} preview={preview} />
        ))}
      </ul>
    </div>
  );
}

function AddPreview() {
  const { session } = useSession();
  const [port, setPort] = useState("");
  const add = useMutation({
    mutationFn: () => berth.sessions.previews.create(session.id, { port: Number(port) }),
    onSuccess: async () => {
      setPort("");
      await queryClient.invalidateQueries({ queryKey: keyOf(session.id) });
    },
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    if (port !== "") add.mutate();
  }
  return (
    <form onSubmit={submit} className="flex items-start gap-2 border-b border-line px-4 py-3">
      <TextField
        label="Port"
        inputMode="numeric"
        placeholder="5173"
        error={add.error?.message}
        value={port}
        onChange={setPort}
        className="flex-1"
      />
      <Button type="submit" icon="plus" disabled={port === ""} busy={add.isPending} className="mt-6.5">
        Create preview
      </Button>
    </form>
  );
}

function PreviewLine({ preview }: { preview: Preview }) {
  const { session } = useSession();
  const { copied, copy } = useCopy();
  const [asking, setAsking] = useState(false);
  const { id, port, url } = preview;
  return (
    <li className="flex items-center gap-2.5 border-b border-line px-4 py-2.5">
      <Icon name="screen" className="text-muted" />
      <div className="min-w-0 flex-1">
        <p className="font-medium">Port {port}</p>
        <p className="text-xs text-faint">
          Ends <Until at={preview.expires_at} />
        </p>
      </div>
      {url === null ? (
        <span className="text-xs text-faint">No URL here</span>
      ) : (
        <>
          <a
            href={url}
            target="_blank"
            rel="noopener noreferrer"
            className={buttonClass("secondary", "small")}
          >
            <Icon name="external" />
            Open
          </a>
          <IconButton
            icon={copied ? "check" : "copy"}
            label={`Copy the URL of port ${port}`}
            onClick={() => copy(url)}
          />
        </>
      )}
      <IconButton icon="trash" label={`Delete the preview of port ${port}`} onClick={() => setAsking(true)} />
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={`Delete the preview of port ${port}?`}
        verb="Delete"
        danger
        act={async () => {
          await berth.sessions.previews.delete(session.id, id);
          await queryClient.invalidateQueries({ queryKey: keyOf(session.id) });
        }}
      >
        Its URL no longer works, and its open connections are closed. The program in the sandbox continues.
      </Confirm>
    </li>
  );
}
