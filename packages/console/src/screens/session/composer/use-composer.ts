import { berth } from "../../../api/client.ts";
import { useMutation } from "../../../api/use-mutation.ts";
import { useUploads } from "../../../api/use-uploads.ts";
import { runShortcut, useRegisteredShortcuts } from "../../../shell/shortcuts.ts";
import { useDraft } from "../../../ui/use-draft.ts";
import type { SessionView } from "../log/view.ts";
import { useSession } from "../scope/session-context.ts";
import { messageOf } from "./message-blocks.ts";

/** The answers to a call that waits, by the key that a message may consist of. */
const ANSWERS = [
  { keys: "y", verb: "Allow", about: "allows the waiting call" },
  { keys: "n", verb: "Deny", about: "denies the waiting call, with a reason" },
] as const;

export type Answer = (typeof ANSWERS)[number];

/** Returns the message that is being written, and what can be done with it. `onSent` follows each message. */
export function useComposer(view: SessionView, onSent: () => void) {
  const { session, actions } = useSession();
  const [text, setText] = useDraft(`message ${session.id}`);
  const uploads = useUploads();
  const send = useMutation({
    mutationFn: async () => {
      const { content, mounts } = messageOf(text, uploads.uploads);
      for (const mount of mounts) await berth.sessions.resources.add(session.id, { type: "file", ...mount });
      await actions.send([{ type: "user.message", content }]);
    },
    onSuccess: () => {
      setText("");
      uploads.clear();
      onSent();
    },
  });
  const interrupt = useMutation({ mutationFn: actions.interrupt });
  const isEmpty = text.trim() === "" && uploads.uploads.every(({ file }) => file === null);
  const canSend = !isEmpty && !uploads.busy && !send.isPending;
  const waits = view.waiting.length > 0;
  const answer = useAnswer(waits && uploads.uploads.length === 0 ? text.trim() : "");
  const canAnswer = useAnswer(waits ? "y" : "") !== null;
  function submit() {
    if (answer !== null) {
      setText("");
      runShortcut(answer.keys);
    } else if (canSend) send.mutate();
  }
  return { text, setText, uploads, send, canSend, interrupt, waits, answer, canAnswer, submit };
}

/**
 * Returns the answer that a message stands for. While a call waits, a message that is only an answer's key is
 * that answer, since the focus stays in the message's field. The key is no shortcut while somebody types,
 * because messages begin with these letters too.
 */
function useAnswer(text: string): Answer | null {
  const registered = useRegisteredShortcuts();
  const answer = ANSWERS.find(({ keys }) => keys === text);
  return answer !== undefined && registered.some(({ keys }) => keys === answer.keys) ? answer : null;
}
