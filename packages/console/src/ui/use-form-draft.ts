import { useState } from "react";
import { keepDraft, keptDraft } from "./use-draft.ts";

/**
 * Returns a form that is kept across reloads under `name`, from the first change until it is sent or
 * discarded. `start` is its initial value; undefined while that is loading. Texts of fields named in `secret`,
 * wherever they are in the form, are kept in memory only.
 */
export function useFormDraft<Form extends object>(
  name: string,
  start: Form | undefined,
  secret: readonly string[] = [],
) {
  const [form, setForm] = useState<Form | null>(() => readDraft<Form>(keptDraft(name), start));
  const change = (part: Partial<Form>) =>
    setForm((before) => {
      const next = { ...(before ?? start), ...part } as Form;
      keepDraft(
        name,
        JSON.stringify(next, (field, value) => (secret.includes(field) ? "" : value)),
      );
      return next;
    });
  const reset = () => {
    keepDraft(name, "");
    setForm(null);
  };
  return { form: form ?? start ?? null, change, reset, changed: form !== null };
}

function readDraft<Form>(draft: string, start: Form | undefined): Form | null {
  if (draft === "") return null;
  try {
    return { ...start, ...(JSON.parse(draft) as Form) };
  } catch {
    return null;
  }
}
