import type { Whoami } from "@berth/sdk";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { Select } from "../../ui/select.tsx";
import type { FaultAt } from "../../ui/use-save.ts";
import { ScopeChoice } from "./scope-choice.tsx";
import { EXPIRY_CHOICES, type TokenForm } from "./token-form.ts";

type Props = {
  form: TokenForm;
  change: (part: Partial<TokenForm>) => void;
  faultAt: FaultAt;
  /** The user's own scopes, which a token cannot exceed. */
  own: Whoami["scopes"] | undefined;
  /** Whether the token may outlive the one that the user is signed in with. */
  mayBeIndependent: boolean;
};

/** Edits what a new token may do, and for how long. */
export function TokenTerms({ form, change, faultAt, own, mayBeIndependent }: Props) {
  return (
    <>
      <Field label="Scopes" error={faultAt("scopes")}>
        {() => <ScopeChoice form={form} change={change} own={own} />}
      </Field>
      <Field label="Expires" error={faultAt("expires_at")}>
        {(control) => (
          <div className="flex gap-2">
            <Select
              {...control}
              value={form.expiry}
              choices={EXPIRY_CHOICES}
              onChange={(expiry) => change({ expiry })}
              className="sm:w-56!"
            />
            {form.expiry === "date" && (
              <Input
                type="date"
                aria-label="Last day, in UTC"
                value={form.date}
                onChange={(event) => change({ date: event.target.value })}
                className="w-44!"
              />
            )}
          </div>
        )}
      </Field>
      {mayBeIndependent && (
        <Checkbox checked={form.independent} onChange={(independent) => change({ independent })}>
          Independent
          <span className="block text-xs text-faint">
            It stays valid after the token that you are signed in with expires or is revoked.
          </span>
        </Checkbox>
      )}
    </>
  );
}
