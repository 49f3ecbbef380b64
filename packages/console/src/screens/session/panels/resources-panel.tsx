import type { SessionResource } from "@berth/sdk";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { berth } from "../../../api/client.ts";
import { queryClient } from "../../../api/query-client.ts";
import { useMutation } from "../../../api/use-mutation.ts";
import { useUploads } from "../../../api/use-uploads.ts";
import { uploadPath } from "../../../format/upload-path.ts";
import { showUnseen } from "../../../format/visible-text.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button, IconButton } from "../../../ui/button.tsx";
import { Confirm } from "../../../ui/confirm.tsx";
import { CopyId } from "../../../ui/copy.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { ErrorBox } from "../../../ui/error-box.tsx";
import { TextField } from "../../../ui/field.tsx";
import { Icon, type IconName } from "../../../ui/icon.tsx";
import { Menu, MenuItem } from "../../../ui/menu.tsx";
import { toast } from "../../../ui/toast.tsx";
import { UploadList } from "../../../ui/upload-list.tsx";
import { useSession } from "../scope/session-context.ts";

type Repository = Extract<SessionResource, { url: string }>;
type FileResource = Extract<SessionResource, { type: "file" }>;

/**
 * Shows the session's repositories, files and memory stores: rotate a token, retry a clone, add or remove
 * files.
 */
export function ResourcesPanel() {
  const { session, closed } = useSession();
  return (
    <div className="h-full overflow-y-auto">
      {!closed && <AddFiles />}
      {session.resources.length === 0 && (
        <p className="p-4 text-muted">
          Resources are the repositories, files and memory stores that the agent works with. This session has
          none yet.
        </p>
      )}
      <ul>
        {session.resources.map((resource) => (
          <ResourceLine key={resource.id} resource={resource} />
        ))}
      </ul>
    </div>
  );
}

function AddFiles() {
  const { session } = useSession();
  const uploads = useUploads();
  const picker = useRef<HTMLInputElement>(null);
  const [error, setError] = useState<unknown>(null);
  const ready = uploads.uploads.find(({ file }) => file !== null);
  const { remove } = uploads;
  useEffect(() => {
    if (ready?.file == null) return;
    remove(ready.key);
    berth.sessions.resources
      .add(session.id, {
        type: "file",
        file_id: ready.file.id,
        mount_path: uploadPath(ready.file.id, ready.name),
      })
      .then(() => refreshSession(session.id))
      .catch(setError);
  }, [ready, remove, session.id]);
  return (
    <div className="flex flex-col gap-2 border-b border-line px-4 py-3">
      <Button icon="upload" className="self-start" size="small" onClick={() => picker.current?.click()}>
        Add files
      </Button>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        onChange={(event) => uploads.add([...(event.target.files ?? [])])}
      />
      <UploadList uploads={uploads.uploads} onRetry={uploads.retry} onRemove={remove} />
      {error !== null && <ErrorBox error={error} />}
    </div>
  );
}

function ResourceLine({ resource }: { resource: SessionResource }) {
  const { closed } = useSession();
  const { icon, title, about } = describe(resource);
  return (
    <li className="flex items-start gap-2.5 border-b border-line px-4 py-2.5">
      <Icon name={icon} className="mt-0.5 text-muted" />
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium">{showUnseen(title)}</p>
        <p className="truncate text-xs text-faint">{about}</p>
        <p className="truncate font-mono text-xs text-muted">{showUnseen(resource.mount_path)}</p>
        <CopyId id={resource.id} short />
      </div>
      {resource.type === "memory_store" && (
        <Badge>{resource.access === "read_only" ? "read only" : "read and write"}</Badge>
      )}
      {!closed && "url" in resource && <RepositoryActions resource={resource} />}
      {!closed && resource.type === "file" && <RemoveFile resource={resource} />}
    </li>
  );
}

function describe(resource: SessionResource): { icon: IconName; title: string; about: string } {
  if (resource.type === "file")
    return { icon: "file", title: resource.mount_path.split("/").at(-1) ?? "File", about: "File" };
  if (resource.type === "memory_store")
    return { icon: "memory", title: resource.name, about: "Memory store" };
  const { checkout } = resource;
  const at =
    checkout === null
      ? "default branch"
      : checkout.type === "commit"
        ? checkout.sha.slice(0, 10)
        : `${checkout.type} ${checkout.name}`;
  return { icon: "branch", title: resource.url.replace(/^https?:\/\//, ""), about: `Repository, ${at}` };
}

function RepositoryActions({ resource }: { resource: Repository }) {
  const { session } = useSession();
  const [rotating, setRotating] = useState(false);
  const retry = useMutation({
    mutationFn: () => berth.sessions.resources.retry(session.id, resource.id),
    onSuccess: () => toast("The clone is retried"),
    onError: (error) => toast("The clone could not be retried", error.message),
  });
  return (
    <>
      <Menu trigger={<IconButton icon="dots" label={`Actions for ${resource.url}`} />}>
        <MenuItem icon="key" onSelect={() => setRotating(true)}>
          Rotate the {resource.type === "hosted_repository" ? "token" : "password"}
        </MenuItem>
        <MenuItem icon="refresh" onSelect={() => retry.mutate()}>
          Retry the clone
        </MenuItem>
      </Menu>
      <RotateDialog resource={resource} open={rotating} onClose={() => setRotating(false)} />
    </>
  );
}

function RotateDialog({
  resource,
  open,
  onClose,
}: {
  resource: Repository;
  open: boolean;
  onClose: () => void;
}) {
  const { session } = useSession();
  const [secret, setSecret] = useState("");
  const word = resource.type === "hosted_repository" ? "token" : "password";
  const rotate = useMutation({
    mutationFn: () =>
      berth.sessions.resources.rotate(
        session.id,
        resource.id,
        resource.type === "hosted_repository" ? { authorization_token: secret } : { password: secret },
      ),
    onSuccess: () => {
      setSecret("");
      toast(`The ${word} is rotated`, "From the agent's next command.");
      onClose();
    },
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    if (secret !== "") rotate.mutate();
  }
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Rotate the ${word}`}
      description={resource.url}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            disabled={secret === ""}
            busy={rotate.isPending}
            onClick={() => rotate.mutate()}
          >
            Rotate
          </Button>
        </>
      }
    >
      <form onSubmit={submit}>
        <TextField
          label={`New ${word}`}
          hint="It is never shown again."
          error={rotate.error?.message}
          type="password"
          value={secret}
          onChange={(text) => setSecret(text)}
        />
      </form>
    </Dialog>
  );
}

function RemoveFile({ resource }: { resource: FileResource }) {
  const { session } = useSession();
  const [asking, setAsking] = useState(false);
  return (
    <>
      <IconButton icon="trash" label={`Remove ${resource.mount_path}`} onClick={() => setAsking(true)} />
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title="Remove the file from the session?"
        verb="Remove"
        danger
        act={async () => {
          await berth.sessions.resources.delete(session.id, resource.id);
          await refreshSession(session.id);
        }}
      >
        It disappears from the sandbox, at {resource.mount_path}. The file itself stays among your files.
      </Confirm>
    </>
  );
}

function refreshSession(id: string): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ["sessions", id] });
}
