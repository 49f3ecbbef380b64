import { type Session, standingOf } from "@berth/sdk";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useState } from "react";
import { markSessions } from "../../api/queries/desk.ts";
import { useMutation } from "../../api/use-mutation.ts";
import { inputTokens } from "../../format/cost.ts";
import { formatShort } from "../../format/numbers.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { useActions } from "../../shell/actions.ts";
import { DeploymentMark } from "../../shell/deployment-mark.tsx";
import { ShareDialog } from "../../shell/share-dialog.tsx";
import { IconButton } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { CopyId } from "../../ui/copy.tsx";
import { Menu, MenuItem, MenuLine } from "../../ui/menu.tsx";
import { SessionStatus } from "../../ui/session-status.tsx";
import type { Shown } from "../../ui/standings.ts";
import { toastError } from "../../ui/toast.tsx";
import type { SessionView } from "./log/view.ts";
import { useSession } from "./scope/session-context.ts";

/** Shows the title, which becomes a field on click. */
export function SessionHeading() {
  const { session, actions, closed } = useSession();
  const [title, setTitle] = useState<string | null>(null);
  const rename = useMutation({
    mutationFn: actions.rename,
    onSuccess: () => setTitle(null),
    onError: (error) => toastError("The title could not be changed", error.message),
  });
  const shown = showUnseen(session.title) || "Untitled session";
  if (title === null)
    return (
      <button
        type="button"
        title={closed ? shown : "Rename"}
        disabled={closed}
        onClick={() => setTitle(session.title)}
        className="-mx-1.5 block max-w-[calc(100%+0.75rem)] truncate rounded-md px-1.5 not-disabled:hover:bg-hover"
      >
        {shown}
      </button>
    );
  function save() {
    if (title === null || title.trim() === session.title) setTitle(null);
    else rename.mutate(title.trim());
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Enter") save();
    else if (event.key === "Escape") setTitle(null);
  }
  return (
    <input
      autoFocus
      aria-label="Title"
      maxLength={500}
      value={title}
      disabled={rename.isPending}
      onChange={(event) => setTitle(event.target.value)}
      onKeyDown={onKeyDown}
      onBlur={save}
      className="-mx-1.5 w-80 max-w-full rounded-md bg-sunken px-1.5 font-semibold"
    />
  );
}

export function SessionState({ view }: { view: SessionView }) {
  const { session } = useSession();
  const tokens = inputTokens(view.usage) + view.usage.output_tokens;
  return (
    <>
      <SessionStatus standing={standingIn(session, view)} />
      <DeploymentMark id={session.deployment_id} />
      <span className="truncate text-xs text-faint max-lg:hidden">
        {showUnseen(session.agent.name)} · {session.agent.model.id}
        {tokens > 0 && ` · ${formatShort(tokens)} tokens`}
      </span>
      <CopyId id={session.id} short className="max-xl:hidden" />
    </>
  );
}

/**
 * Returns the session's state from its log, which is ahead of the session's own fields: those are read again
 * after a turn.
 */
function standingIn(session: Session, view: SessionView): Shown {
  if (view.status === "deleted") return "deleted";
  if (view.waiting.length > 0 && session.archived_at === null && view.status === "idle")
    return "requires_action";
  const ended = view.stopReason && { outcome: view.stopReason.type, ended_at: session.updated_at };
  return standingOf({
    ...session,
    status: view.status ?? session.status,
    last_turn: ended ?? session.last_turn,
  });
}

type Asked = "archive" | "terminate" | "delete" | "share";

export function SessionMenu({ panelOpen, onPanel }: { panelOpen: boolean; onPanel: () => void }) {
  const { session, actions } = useSession();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<Asked | null>(null);
  const isEnded = session.status === "terminated";
  const isArchived = session.archived_at !== null;
  const unsee = async () => {
    // Where the session is shown, it is seen.
    await navigate({ to: "/" });
    await markSessions([session], true);
  };
  const onUnsee = () =>
    void unsee().catch((error: Error) => toastError("The session keeps its mark", error.message));
  const again = () => void navigate({ to: "/new", search: { like: session.id } });
  useActions([
    { id: "again", label: "New session like this one", group: "Session", icon: "repeat", run: again },
    {
      id: "share",
      label: "Share this session",
      group: "Session",
      icon: "user",
      run: () => setAsked("share"),
    },
    { id: "unsee", label: "Mark this session as unseen", group: "Session", icon: "eyeOff", run: onUnsee },
    {
      id: "archive",
      label: "Archive this session",
      group: "Session",
      icon: "archive",
      run: () => setAsked("archive"),
    },
    {
      id: "terminate",
      label: "Terminate this session",
      group: "Session",
      icon: "stop",
      run: () => setAsked("terminate"),
    },
    {
      id: "delete",
      label: "Delete this session",
      group: "Session",
      icon: "trash",
      run: () => setAsked("delete"),
    },
  ]);
  return (
    <>
      <IconButton icon="repeat" label="New session like this one" onClick={again} className="max-sm:hidden" />
      <IconButton icon="sidebar" label="Panel" keys="p" pressed={panelOpen} onClick={onPanel} />
      <Menu trigger={<IconButton icon="dots" label="More" />}>
        <MenuItem icon="repeat" onSelect={again}>
          New session like this one
        </MenuItem>
        <MenuItem icon="user" onSelect={() => setAsked("share")}>
          Share…
        </MenuItem>
        <MenuItem icon="link" onSelect={() => void navigator.clipboard?.writeText(location.href)}>
          Copy link
        </MenuItem>
        <MenuItem icon="eyeOff" disabled={isArchived || isEnded} onSelect={onUnsee}>
          Mark as unseen
        </MenuItem>
        <MenuLine />
        <MenuItem icon="archive" disabled={isArchived} onSelect={() => setAsked("archive")}>
          Archive…
        </MenuItem>
        <MenuItem icon="stop" disabled={isEnded} onSelect={() => setAsked("terminate")}>
          Terminate…
        </MenuItem>
        <MenuItem icon="trash" danger onSelect={() => setAsked("delete")}>
          Delete…
        </MenuItem>
      </Menu>
      <ShareDialog
        noun="sessions"
        id={session.id}
        what="session"
        open={asked === "share"}
        onClose={() => setAsked(null)}
      />
      <Confirm
        open={asked === "archive"}
        onClose={() => setAsked(null)}
        title="Archive this session?"
        verb="Archive"
        act={actions.archive}
      >
        It becomes read-only and is hidden from the list. Its log and its files stay.
      </Confirm>
      <Confirm
        open={asked === "terminate"}
        onClose={() => setAsked(null)}
        title="Terminate this session?"
        verb="Terminate"
        danger
        act={actions.terminate}
      >
        The agent stops at once, and the sandbox with its disk is removed. Work that was not pushed or saved
        as an output is lost. The log stays.
      </Confirm>
      <Confirm
        open={asked === "delete"}
        onClose={() => setAsked(null)}
        title="Delete this session?"
        verb="Delete"
        danger
        act={async () => {
          await actions.delete();
          await navigate({ to: "/sessions" });
        }}
      >
        Its log and its disk are deleted for good. Files that it saved stay among your files.
      </Confirm>
    </>
  );
}
