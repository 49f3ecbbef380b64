import { useState } from "react";

/** What is typed, kept for this tab of the browser until it is sent, so that no reload loses it. */
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

/** Keeps a text, or with an empty one forgets it. A full storage is no reason to stop typing. */
export function keepDraft(name: string, text: string): void {
  try {
    if (text === "") sessionStorage.removeItem(`berth.draft ${name}`);
    else sessionStorage.setItem(`berth.draft ${name}`, text);
  } catch {
    // The text stays in the page.
  }
}

export function keptDraft(name: string): string {
  return sessionStorage.getItem(`berth.draft ${name}`) ?? "";
}
