import { TextField } from "./field.tsx";
import { FormSection } from "./form-section.tsx";
import type { FaultAt } from "./use-save.ts";

type Named = { name: string; description: string };

type Props = {
  title: string;
  form: Named;
  change: (part: Partial<Named>) => void;
  faultAt: FaultAt;
  /** Focuses the name first. */
  isNew: boolean;
  /** An example of a description. */
  example?: string;
};

/** Edits the name and description of an object. */
export function NameSection({ title, form, change, faultAt, isNew, example = "" }: Props) {
  return (
    <FormSection title={title}>
      <TextField
        label="Name"
        error={faultAt("name")}
        autoFocus={isNew}
        maxLength={256}
        value={form.name}
        onChange={(text) => change({ name: text })}
      />
      <TextField
        label="Description"
        aside="optional"
        error={faultAt("description")}
        maxLength={2_048}
        placeholder={example}
        value={form.description}
        onChange={(text) => change({ description: text })}
      />
    </FormSection>
  );
}
