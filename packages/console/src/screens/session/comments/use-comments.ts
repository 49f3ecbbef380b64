import { createContext, useContext, useMemo, useRef } from "react";
import { useFormDraft } from "../../../ui/use-form-draft.ts";
import {
  type CommentedLine,
  type Comments,
  cancelEditor,
  closeEditor,
  NO_COMMENTS,
  openComment,
  openLine,
  remove,
  write,
} from "./comments.ts";

export type CommentDrafts = ReturnType<typeof useComments>;

/** The comments on the session's changes; null where nobody can comment. */
export const CommentsContext = createContext<CommentDrafts | null>(null);

export function useCommentDrafts(): CommentDrafts | null {
  return useContext(CommentsContext);
}

/** Returns the comments on a session's changes that are not sent yet. They survive a reload of the tab. */
export function useComments(sessionId: string) {
  const draft = useFormDraft<Comments>(`comments ${sessionId}`, NO_COMMENTS);
  const comments = draft.form ?? NO_COMMENTS;
  const newest = useRef(comments);
  newest.current = comments;
  const { change, reset } = draft;
  const latest = useRef({ change, reset });
  latest.current = { change, reset };
  const opener = useRef<Element | null>(null);
  const actions = useMemo(() => {
    const set = (next: Comments) => {
      newest.current = next;
      if (next.list.length === 0) latest.current.reset();
      else latest.current.change(next);
    };
    const open = (next: Comments) => {
      opener.current = document.activeElement;
      set(next);
    };
    /** Closes the editor, and puts the focus where it was before. */
    const close = (next: Comments) => {
      set(next);
      if (opener.current instanceof HTMLElement) opener.current.focus();
    };
    return {
      openLine: (line: CommentedLine) => open(openLine(newest.current, line)),
      edit: (id: string) => open(openComment(newest.current, id)),
      write: (text: string) => set(write(newest.current, text)),
      save: () => close(closeEditor(newest.current)),
      cancel: () => close(cancelEditor(newest.current)),
      remove: (ids: readonly string[]) => set(remove(newest.current, ids)),
    };
  }, []);
  return useMemo(() => ({ comments, ...actions }), [comments, actions]);
}
