import type { Vault } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import type { FormEvent } from "react";
import { berth } from "../../api/client.ts";
import { type Pair, pairsOf, patchOf, recordOf } from "../../format/pairs.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, TextField } from "../../ui/field.tsx";
import { FormActions } from "../../ui/form-actions.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { PairRows } from "../../ui/pair-rows.tsx";
import { useFormDraft } from "../../ui/use-form-draft.ts";
import { useSave } from "../../ui/use-save.ts";
import { refreshVaults } from "./queries.ts";

type Form = { name: string; labels: Pair[] };

type Props = {
  /** The vault to change; absent for a new one. */
  vault?: Vault;
  open: boolean;
  onClose: () => void;
  onSaved: (vault: Vault) => void;
};

/** Creates a vault, or changes its name and metadata. */
export function VaultDialog(props: Props) {
  const title = props.vault === undefined ? "New vault" : "Edit the vault";
  return (
    <Dialog open={props.open} onClose={props.onClose} title={title}>
      {props.open && <VaultForm {...props} />}
    </Dialog>
  );
}

function VaultForm({ vault, onClose, onSaved }: Props) {
  const start = { name: vault?.display_name ?? "", labels: pairsOf(vault?.metadata ?? {}) };
  const { form, change, reset } = useFormDraft<Form>(`vault ${vault?.id ?? "new"}`, start);
  const { name, labels } = form ?? start;
  const metadata = recordOf(labels);
  const body = {
    display_name: name.trim(),
    ...(vault === undefined ? { metadata } : { metadata: patchOf(vault.metadata, metadata) }),
  };
  const { save, busy, error, faultAt } = useSave({
    act: () => (vault === undefined ? createVault(name, metadata) : berth.vaults.update(vault.id, body)),
    placeOf: (param) => param.replace(/[.[].*$/, ""),
    onSaved: (saved) => {
      reset();
      void refreshVaults();
      onSaved(saved);
    },
  });
  const nameFault = faultAt("display_name");
  const labelFault = faultAt("metadata");
  function submit(event: FormEvent) {
    event.preventDefault();
    save();
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <TextField
        label="Name"
        error={nameFault}
        autoFocus
        placeholder="Production"
        value={name}
        onChange={(text) => change({ name: text })}
      />
      <Field
        label="Metadata"
        hint="Names and values for people and programs. Sessions do not see it."
        error={labelFault}
      >
        {() => (
          <PairRows
            noun="label"
            pairs={labels}
            onChange={(next) => change({ labels: next })}
            faultAt={() => null}
          />
        )}
      </Field>
      <FormError error={error} atField={nameFault !== null || labelFault !== null} />
      <FormActions
        verb={vault === undefined ? "Create vault" : "Save"}
        busy={busy}
        onCancel={() => {
          reset();
          onClose();
        }}
        call={
          vault === undefined
            ? { operation: operations.vaults.create, body }
            : { operation: operations.vaults.update, params: { vault_id: vault.id }, body }
        }
      />
    </form>
  );
}

function createVault(name: string, metadata: Record<string, string>) {
  return berth.vaults.create({ display_name: name.trim(), metadata });
}
