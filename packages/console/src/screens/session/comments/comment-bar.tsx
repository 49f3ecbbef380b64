import { useMutation } from "../../../api/use-mutation.ts";
import { formatPlural } from "../../../format/numbers.ts";
import { showUnseen } from "../../../format/visible-text.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { ErrorBox } from "../../../ui/error-box.tsx";
import { Textarea } from "../../../ui/field.tsx";
import { Keys, ShortcutKeys } from "../../../ui/keys.tsx";
import { toast } from "../../../ui/toast.tsx";
import { useSession } from "../scope/session-context.ts";
import { isWritten, type LineComment, lineName, messageOf } from "./comments.ts";
import type { CommentDrafts } from "./use-comments.ts";

/** Lists the comments that are not sent yet, edits them, and sends them as one message. */
export function CommentBar({ drafts }: { drafts: CommentDrafts }) {
  const { actions } = useSession();
  const { list, open } = drafts.comments;
  const send = useMutation({
    mutationFn: async (sent: readonly LineComment[]) => {
      await actions.send([{ type: "user.message", content: [{ type: "text", text: messageOf(sent) }] }]);
      return sent;
    },
    onSuccess: (sent) => {
      drafts.remove(sent.map(({ id }) => id));
      toast(`${formatPlural(sent.length, "comment")} sent`);
    },
  });
  if (list.length === 0)
    return (
      <p className="border-t border-line px-4 py-2 text-xs text-muted">
        To comment on a line of a diff, press its number. <Keys>↑</Keys> <Keys>↓</Keys> move between lines.
      </p>
    );
  const written = list.filter(isWritten);
  return (
    <section
      aria-label="Comments"
      className="flex max-h-[55%] shrink-0 flex-col border-t border-line-strong bg-raised"
    >
      <ul aria-label="Comments that are not sent" className="min-h-0 overflow-y-auto">
        {list.map((comment) => (
          <li key={comment.id} className="border-b border-line px-4 py-2 last:border-b-0">
            <CommentHead comment={comment} drafts={drafts} isOpen={open?.id === comment.id} />
            {open?.id === comment.id ? (
              <Editor comment={comment} drafts={drafts} />
            ) : (
              <p className="mt-1 whitespace-pre-wrap break-words">{showUnseen(comment.text)}</p>
            )}
          </li>
        ))}
      </ul>
      <div className="border-t border-line px-4 py-2">
        {send.isError && <ErrorBox error={send.error} className="mb-2" />}
        <div className="flex items-center gap-2">
          <p className="mr-auto text-xs text-muted">The agent gets them as one message.</p>
          <Button
            size="small"
            look="primary"
            icon="send"
            busy={send.isPending}
            disabled={written.length === 0}
            onClick={() => send.mutate(written)}
          >
            Send {formatPlural(written.length, "comment")}
          </Button>
        </div>
      </div>
    </section>
  );
}

type CommentProps = { comment: LineComment; drafts: CommentDrafts };

function CommentHead({ comment, drafts, isOpen }: CommentProps & { isOpen: boolean }) {
  const name = nameOf(comment);
  return (
    <div className="flex items-center gap-1">
      <div className="min-w-0 flex-1 font-mono text-xs text-muted">
        <p className="truncate" title={showUnseen(comment.file)}>
          {showUnseen(name)}
        </p>
        <p className="truncate">{showUnseen(comment.quote.slice(0, 200))}</p>
      </div>
      {!isOpen && (
        <Button look="quiet" size="small" aria-label={`Edit ${name}`} onClick={() => drafts.edit(comment.id)}>
          Edit
        </Button>
      )}
      <IconButton icon="trash" label={`Remove ${name}`} onClick={() => drafts.remove([comment.id])} />
    </div>
  );
}

function Editor({ comment, drafts }: CommentProps) {
  return (
    <div className="mt-1.5">
      <Textarea
        autoFocus
        rows={3}
        aria-label={`Comment on ${nameOf(comment)}`}
        value={comment.text}
        onChange={(event) => drafts.write(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          drafts.save();
        }}
      />
      <div className="mt-1.5 flex items-center justify-end gap-2">
        <span className="mr-auto text-xs text-muted max-sm:hidden">
          <ShortcutKeys keys="mod+Enter" /> saves
        </span>
        <Button size="small" onClick={drafts.cancel}>
          Cancel
        </Button>
        <Button size="small" disabled={!isWritten(comment)} onClick={drafts.save}>
          Save
        </Button>
      </div>
    </div>
  );
}

function nameOf(comment: LineComment): string {
  return `${comment.file.split("/").at(-1)}, ${lineName(comment)}`;
}
