import type { IdentityFields } from "../format/git-identity.ts";
import { TextField } from "./field.tsx";
import { FormSection } from "./form-section.tsx";
import type { FaultAt } from "./use-save.ts";

type Props = {
  identity: IdentityFields;
  change: (part: Partial<IdentityFields>) => void;
  faultAt: FaultAt;
  about: string;
};

/** Edits the author and co-author of the agent's commits. */
export function GitIdentitySection({ identity, change, faultAt, about }: Props) {
  const text = (name: keyof IdentityFields, label: string, place: string, placeholder: string) => (
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
        {text("coAuthorEmail", "Co-author’s e-mail", "git_identity.co_authored_by.email", "ann@example.com")}
      </div>
      {whole !== null && <p className="text-xs text-bad">{whole}</p>}
    </FormSection>
  );
}
