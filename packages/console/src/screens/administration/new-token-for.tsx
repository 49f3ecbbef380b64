import type { CreatedToken, Whoami } from "@berth/sdk";
import { type FormEvent, useState } from "react";
import { berth } from "../../api/client.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { useNow } from "../../ui/moment.tsx";
import { useSave } from "../../ui/use-save.ts";
import { CreatedTokenView } from "../tokens/created-token-view.tsx";
import { bodyOf, EMPTY_TOKEN, placeOf, type TokenForm } from "../tokens/token-form.ts";
import { TokenTerms } from "../tokens/token-terms.tsx";
import { refreshAdministration } from "./queries.ts";

/** Whose token it will be. */
export type Bearer = ({ user_id: string } | { service_account_id: string }) & { name: string };

type Props = {
  /** Null while the dialog is closed. */
  bearer: Bearer | null;
  me: Whoami;
  onClose: () => void;
};

/** Creates a token of a user or a service account, and shows it once. */
export function NewTokenFor({ bearer, me, onClose }: Props) {
  const [made, setMade] = useState<CreatedToken | null>(null);
  const close = () => {
    setMade(null);
    onClose();
  };
  return (
    <Dialog
      open={bearer !== null}
      onClose={close}
      size="medium"
      title={made === null ? `New token for ${showUnseen(bearer?.name ?? "")}` : "The new token"}
    >
      {bearer !== null && made === null && <Form bearer={bearer} me={me} onClose={close} onMade={setMade} />}
      {bearer !== null && made !== null && <CreatedTokenView token={made} onClose={close} />}
    </Dialog>
  );
}

type FormProps = { bearer: Bearer; me: Whoami; onClose: () => void; onMade: (made: CreatedToken) => void };

function Form({ bearer: { name: _name, ...bearer }, me, onClose, onMade }: FormProps) {
  const [form, setForm] = useState<TokenForm>(EMPTY_TOKEN);
  const change = (part: Partial<TokenForm>) => setForm({ ...form, ...part });
  const { kind: _kind, ...terms } = bodyOf(form, useNow());
  const { save, busy, error, faultAt } = useSave({
    act: () => berth.admin.tokens.create({ ...terms, ...bearer }),
    placeOf,
    onSaved: (made) => {
      void refreshAdministration();
      onMade(made);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save();
  };
  const isFault = ["name", "scopes", "expires_at"].some((field) => faultAt(field) !== null);
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <TextField
        label="Name"
        hint="Where it is used, so that people recognize it."
        error={faultAt("name")}
        placeholder="laptop"
        value={form.name}
        onChange={(name) => change({ name })}
      />
      <TokenTerms
        form={form}
        change={change}
        faultAt={faultAt}
        own={me.scopes}
        mayBeIndependent={me.scopes.includes("*")}
      />
      <FormError error={error} atField={isFault} />
      <div className="flex justify-end gap-2 border-t border-line pt-4 pb-1">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" type="submit" busy={busy}>
          Create token
        </Button>
      </div>
    </form>
  );
}
