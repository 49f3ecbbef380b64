import type { CreatedToken, Whoami } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { type FormEvent, useState } from "react";
import { berth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { FormActions } from "../../ui/form-actions.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { Segments } from "../../ui/form-section.tsx";
import { useNow } from "../../ui/moment.tsx";
import { useFormDraft } from "../../ui/use-form-draft.ts";
import { useSave } from "../../ui/use-save.ts";
import { CreatedTokenView } from "./created-token-view.tsx";
import { bodyOf, EMPTY_TOKEN, placeOf, type TokenForm } from "./token-form.ts";
import { TokenTerms } from "./token-terms.tsx";

type Props = { open: boolean; me: Whoami | undefined; onClose: () => void };

/** Creates a token and shows it once. */
export function NewTokenDialog({ open, me, onClose }: Props) {
  const [made, setMade] = useState<CreatedToken | null>(null);
  const close = () => {
    setMade(null);
    onClose();
  };
  return (
    <Dialog open={open} onClose={close} title={made === null ? "New token" : "Your new token"} size="medium">
      {open && made === null && <Form me={me} onClose={close} onMade={setMade} />}
      {open && made !== null && <CreatedTokenView token={made} onClose={close} />}
    </Dialog>
  );
}

function Form({
  me,
  onClose,
  onMade,
}: {
  me: Whoami | undefined;
  onClose: () => void;
  onMade: (made: CreatedToken) => void;
}) {
  const { form: drafted, change, reset } = useFormDraft<TokenForm>("new token", EMPTY_TOKEN);
  const form = { ...EMPTY_TOKEN, ...drafted };
  const body = bodyOf(form, useNow());
  const { save, busy, error, faultAt } = useSave({
    act: () => berth.tokens.create(body),
    placeOf,
    onSaved: (made) => {
      reset();
      void queryClient.invalidateQueries({ queryKey: ["tokens"] });
      onMade(made);
    },
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    save();
  }
  const isAdmin = me?.role === "admin";
  const isFault = ["name", "scopes", "expires_at", "kind", "independent"].some(
    (field) => faultAt(field) !== null,
  );
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {isAdmin && (
        <Segments
          label="Owner"
          value={form.kind}
          choices={[
            { value: "pat", label: "Me" },
            { value: "sat", label: "A service account" },
          ]}
          onChange={(kind) => change({ kind })}
        />
      )}
      <TextField
        label={form.kind === "sat" ? "Service account" : "Name"}
        hint={
          form.kind === "sat"
            ? "It is created if no service account has this name. What it creates belongs to the organization."
            : "Where it is used, so that you recognize it."
        }
        error={faultAt("name")}
        placeholder={form.kind === "sat" ? "nightly" : "laptop"}
        value={form.name}
        onChange={(text) => change({ name: text })}
      />
      <TokenTerms form={form} change={change} faultAt={faultAt} own={me?.scopes} mayBeIndependent={isAdmin} />
      <FormError error={error} atField={isFault} />
      <FormActions
        verb="Create token"
        busy={busy}
        onCancel={() => {
          reset();
          onClose();
        }}
        call={{ operation: operations.tokens.create, body }}
      />
    </form>
  );
}
