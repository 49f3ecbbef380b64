import { useState } from "react";

/** Returns a text that is kept in this browser tab until it is sent, so that it survives a reload. */
export function useDraft(name: string): [string, (text: string) => void] {
  const key = `berth.draft ${name}`;
  const [draft, setDraft] = useState({ key, text: sessionStorage.getItem(key) ?? "" });
  if (draft.key !== key) setDraft({ key, text: sessionStorage.getItem(key) ?? "" });
  const change = (text: string) => {
    setDraft({ key, text });
    keepDraft(name, text);
  };
  return [draft.text, change];
}

/** Keeps a text, or removes it if it is empty. Ignores a full storage. */
export function keepDraft(name: string, text: string): void {
  try {
    if (text === "") sessionStorage.removeItem(`berth.draft ${name}`);
    else sessionStorage.setItem(`berth.draft ${name}`, text);
  } catch {
    // The text is kept in the page.
  }
}

/** Returns a kept text; empty if there is none. */
export function keptDraft(name: string): string {
  return sessionStorage.getItem(`berth.draft ${name}`) ?? "";
}
