import { type IdentityFields, OWNER_AS } from "../format/git-identity.ts";
import { Field, TextField } from "./field.tsx";
import { FormSection } from "./form-section.tsx";
import { Select } from "./select.tsx";
import type { FaultAt } from "./use-save.ts";

const OWNER_CHOICES = [
  { value: "", label: "Not named" },
  { value: "co_author", label: OWNER_AS.co_author },
  { value: "author", label: OWNER_AS.author },
] as const;

type TextName = Exclude<keyof IdentityFields, "ownerAs">;
type Props = {
  identity: IdentityFields;
  change: (part: Partial<IdentityFields>) => void;
  faultAt: FaultAt;
  about: string;
};

/** Edits the author and co-author of the agent's commits. */
export function GitIdentitySection({ identity, change, faultAt, about }: Props) {
  const text = (name: TextName, label: string, place: string, placeholder: string) => (
    <TextField
      label={label}
      error={faultAt(place)}
      placeholder={placeholder}
      value={identity[name]}
      onChange={(text) => change({ [name]: text })}
    />
  );
  const whole = faultAt("git_identity");
  return (
    <FormSection title="Git identity" about={about}>
      <div className="grid gap-4 sm:grid-cols-2">
        {text("gitName", "Name", "git_identity.name", "Ann’s agent")}
        {text("gitEmail", "E-mail", "git_identity.email", "ann+agent@example.com")}
        {text("coAuthorName", "Co-author", "git_identity.co_authored_by.name", "Ann")}
        {text("coAuthorEmail", "Co-author’s email", "git_identity.co_authored_by.email", "ann@example.com")}
      </div>
      <Field
        label="Owner of the session"
        error={faultAt("git_identity.session_owner")}
        hint="How commits name the user who started the session."
      >
        {(control) => (
          <Select
            {...control}
            value={identity.ownerAs}
            choices={OWNER_CHOICES}
            onChange={(ownerAs) => change({ ownerAs })}
          />
        )}
      </Field>
      {whole !== null && <p className="text-xs text-bad">{whole}</p>}
    </FormSection>
  );
}
