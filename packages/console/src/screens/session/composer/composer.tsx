import { type ClipboardEvent, type KeyboardEvent, type RefObject, useEffect, useRef } from "react";
import { berth } from "../../../api/client.ts";
import { useMutation } from "../../../api/use-mutation.ts";
import { useUploads } from "../../../api/use-uploads.ts";
import { runShortcut, useRegisteredShortcuts, useShortcuts } from "../../../shell/shortcuts.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { cx } from "../../../ui/cx.ts";
import { ErrorBox } from "../../../ui/error-box.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Keys } from "../../../ui/keys.tsx";
import { UploadList } from "../../../ui/upload-list.tsx";
import { useDraft } from "../../../ui/use-draft.ts";
import { useFileDrop } from "../../../ui/use-file-drop.ts";
import type { SessionView } from "../log/view.ts";
import { useSession } from "../scope/session-context.ts";
import { messageOf } from "./message-blocks.ts";

/** Sends messages and files to the session, and interrupts it. The typed text survives a reload. */
export function Composer({ view }: { view: SessionView }) {
  const { session, actions, closed } = useSession();
  const [text, setText] = useDraft(`message ${session.id}`);
  const uploads = useUploads();
  const field = useRef<HTMLTextAreaElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const drop = useFileDrop(uploads.add);
  const send = useMutation({
    mutationFn: async () => {
      const { content, mounts } = messageOf(text, uploads.uploads);
      for (const mount of mounts) await berth.sessions.resources.add(session.id, { type: "file", ...mount });
      await actions.send([{ type: "user.message", content }]);
    },
    onSuccess: () => {
      setText("");
      uploads.clear();
      field.current?.focus();
    },
  });
  const interrupt = useMutation({ mutationFn: actions.interrupt });
  const isRunning = (view.status ?? session.status) === "running";
  const isEmpty = text.trim() === "" && uploads.uploads.every(({ file }) => file === null);
  const canSend = !isEmpty && !uploads.busy && !send.isPending;
  const answer = useAnswer(view.waiting.length > 0 && uploads.uploads.length === 0 ? text.trim() : "");
  const canAnswer = useAnswer(view.waiting.length > 0 ? "y" : "") !== null;
  useAutoHeight(field, text);
  useShortcuts([
    { keys: "m", label: "Write a message", group: "Session", run: () => field.current?.focus() },
    ...(isRunning
      ? [{ keys: "mod+.", label: "Interrupt the agent", group: "Session", run: () => interrupt.mutate() }]
      : []),
  ]);
  if (closed) return <ClosedNote archived={session.archived_at !== null} />;

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
    if (event.key === "Escape") event.currentTarget.blur();
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  }
  function submit() {
    if (answer !== null) {
      setText("");
      runShortcut(answer.keys);
    } else if (canSend) send.mutate();
  }
  function onPaste(event: ClipboardEvent) {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    uploads.add(event.clipboardData.files);
  }
  return (
    <div className="mx-auto w-full max-w-4xl px-4 pb-4 md:px-6" {...drop.handlers}>
      {(send.isError || interrupt.isError) && (
        <ErrorBox error={send.error ?? interrupt.error} className="mb-2" />
      )}
      <div
        className={cx(
          "flex flex-col gap-2 rounded-xl border bg-raised p-2 shadow-low transition-colors focus-within:border-focus",
          drop.over ? "border-accent bg-accent-soft" : "border-line-strong",
        )}
      >
        <UploadList uploads={uploads.uploads} onRetry={uploads.retry} onRemove={uploads.remove} />
        <textarea
          ref={field}
          rows={1}
          aria-label="Message to the agent"
          placeholder={
            canAnswer
              ? "y, n, or a message to the agent"
              : view.waiting.length > 0
                ? "Answer above, or write to the agent"
                : "Write to the agent"
          }
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          className="max-h-[40dvh] resize-none bg-transparent px-2 pt-1 text-base outline-none"
        />
        <div className="flex items-center gap-1.5">
          <IconButton icon="paperclip" label="Attach files" onClick={() => files.current?.click()} />
          <input
            ref={files}
            type="file"
            multiple
            hidden
            onChange={(event) => uploads.add([...(event.target.files ?? [])])}
          />
          <span className="flex flex-1 items-center gap-1 text-xs text-faint">
            <span className="hidden items-center gap-1 sm:flex">
              {answer === null ? (
                <>
                  <Keys>↵</Keys> sends, <Keys>⇧↵</Keys> a new line
                </>
              ) : (
                <>
                  <Keys>↵</Keys> {answer.about}
                </>
              )}
            </span>
          </span>
          {isRunning && (
            <Button size="small" icon="stop" busy={interrupt.isPending} onClick={() => interrupt.mutate()}>
              Interrupt
            </Button>
          )}
          <Button
            size="small"
            look="primary"
            icon={answer === null ? "send" : "check"}
            busy={send.isPending}
            disabled={!canSend}
            onClick={submit}
          >
            {answer?.verb ?? "Send"}
          </Button>
        </div>
      </div>
    </div>
  );
}

const ANSWERS = [
  { keys: "y", verb: "Allow", about: "allows the call that waits" },
  { keys: "n", verb: "Deny", about: "denies the call that waits, with a reason" },
] as const;

/**
 * Returns the answer that a message stands for. While a call waits, a message that is only an answer's key is
 * that answer, since the focus stays in this field. The key is no shortcut while somebody types, because
 * messages begin with these letters too.
 */
function useAnswer(text: string): (typeof ANSWERS)[number] | null {
  const registered = useRegisteredShortcuts();
  const answer = ANSWERS.find(({ keys }) => keys === text);
  return answer !== undefined && registered.some(({ keys }) => keys === answer.keys) ? answer : null;
}

function ClosedNote({ archived }: { archived: boolean }) {
  return (
    <p className="flex items-center justify-center gap-2 border-t border-line py-4 text-muted">
      <Icon name={archived ? "archive" : "stop"} />
      {archived
        ? "The session is archived, and takes no more messages."
        : "The session has ended, and takes no more messages."}
    </p>
  );
}

/** Keeps the field as high as its text. */
function useAutoHeight(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height depends on the text
  useEffect(() => {
    const element = field.current;
    if (element === null) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight}px`;
  }, [field, text]);
}
