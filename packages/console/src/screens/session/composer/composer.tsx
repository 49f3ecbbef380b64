import { type ClipboardEvent, type KeyboardEvent, type RefObject, useEffect, useRef } from "react";
import { useOwnerNames } from "../../../api/queries/owners.ts";
import { showUnseen } from "../../../format/visible-text.ts";
import { useShortcuts } from "../../../shell/shortcuts.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { cx } from "../../../ui/cx.ts";
import { ErrorBox } from "../../../ui/error-box.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Keys } from "../../../ui/keys.tsx";
import { UploadList } from "../../../ui/upload-list.tsx";
import { useFileDrop } from "../../../ui/use-file-drop.ts";
import type { SessionView } from "../log/view.ts";
import { useSession } from "../scope/session-context.ts";
import { type Answer, useComposer } from "./use-composer.ts";

/** Sends messages and files to the session, and interrupts it. The typed text survives a reload. */
export function Composer({ view }: { view: SessionView }) {
  const { session, closed, follows } = useSession();
  const field = useRef<HTMLTextAreaElement>(null);
  const composer = useComposer(view, () => field.current?.focus());
  const { text, setText, uploads, send, interrupt, answer, submit } = composer;
  const drop = useFileDrop(uploads.add);
  const isRunning = (view.status ?? session.status) === "running";
  useAutoHeight(field, text);
  useShortcuts([
    { keys: "m", label: "Write a message", group: "Session", run: () => field.current?.focus() },
    ...(isRunning
      ? [{ keys: "mod+.", label: "Interrupt the agent", group: "Session", run: () => interrupt.mutate() }]
      : []),
  ]);
  if (closed) return <ClosedNote archived={session.archived_at !== null} follows={follows} />;

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
    if (event.key === "Escape") event.currentTarget.blur();
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
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
          placeholder={placeholder(composer.waits, composer.canAnswer)}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          className="max-h-[40dvh] resize-none bg-transparent px-2 pt-1 text-base outline-none"
        />
        <div className="flex items-center gap-1.5">
          <AttachFiles onAdd={uploads.add} />
          <Hint answer={answer} />
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
            disabled={!composer.canSend}
            onClick={submit}
          >
            {answer?.verb ?? "Send"}
          </Button>
        </div>
      </div>
    </div>
  );
}

function placeholder(waits: boolean, canAnswer: boolean): string {
  if (canAnswer) return "y, n, or a message to the agent";
  return waits ? "Answer above, or write to the agent" : "Write to the agent";
}

function AttachFiles({ onAdd }: { onAdd: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton icon="paperclip" label="Attach files" onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={(event) => onAdd([...(event.target.files ?? [])])}
      />
    </>
  );
}

/** Shows what the Enter key does. */
function Hint({ answer }: { answer: Answer | null }) {
  return (
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
  );
}

function ClosedNote({ archived, follows }: { archived: boolean; follows: boolean }) {
  const { session } = useSession();
  const owner = useOwnerNames([session.owner_id])(session.owner_id);
  const isOpen = !archived && session.status !== "terminated";
  if (follows && isOpen)
    return (
      <p className="flex items-center justify-center gap-2 border-t border-line px-4 py-4 text-muted">
        <Icon name="eye" />
        You can read this session. To write to it, ask {showUnseen(owner ?? "its owner")} for write access.
      </p>
    );
  return (
    <p className="flex items-center justify-center gap-2 border-t border-line py-4 text-muted">
      <Icon name={archived ? "archive" : "stop"} />
      {archived
        ? "The session is archived and accepts no more messages."
        : "The session is terminated and accepts no more messages."}
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
