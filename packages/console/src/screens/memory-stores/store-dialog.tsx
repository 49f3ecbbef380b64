import type { MemoryStore } from "@berth/sdk";
import { berth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { type Pair, pairsOf, patchOf, recordOf, repeated } from "../../format/pairs.ts";
import { Field, TextAreaField, TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { PairRows } from "../../ui/pair-rows.tsx";
import { useFormDraft } from "../../ui/use-form-draft.ts";
import { FormFault, useSave } from "../../ui/use-save.ts";

type Form = { name: string; description: string; metadata: Pair[] };

type Props = {
  /** The store to change; null for a new one. */
  store: MemoryStore | null;
  open: boolean;
  onClose: () => void;
  onSaved?: (store: MemoryStore) => void;
};

/** Creates a memory store, or changes its name, description and metadata. */
export function StoreDialog({ store, open, onClose, onSaved }: Props) {
  const { form, change, reset } = useFormDraft<Form>(`memory store ${store?.id ?? ""}`, {
    name: store?.name ?? "",
    description: store?.description ?? "",
    metadata: pairsOf(store?.metadata ?? {}),
  });
  const { name = "", description = "", metadata = [] } = form ?? {};
  const { save, busy, error, faultAt } = useSave({
    act: async () => await send(store, { name, description, metadata }),
    placeOf: (param) => param.replace(/[.[].*$/, ""),
    onSaved: (saved) => {
      reset();
      onClose();
      void queryClient.invalidateQueries({ queryKey: ["memory stores"] });
      onSaved?.(saved);
    },
  });
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title={store === null ? "New memory store" : "Name and description"}
      verb={store === null ? "Create" : "Save"}
      busy={busy}
      onSave={save}
      error={error}
    >
      <TextField
        label="Name"
        error={faultAt("name")}
        autoFocus
        maxLength={255}
        value={name}
        onChange={(text) => change({ name: text })}
      />
      <TextAreaField
        label="Description"
        aside="optional"
        hint="Agents with this store read this text."
        error={faultAt("description")}
        rows={3}
        maxLength={1_024}
        value={description}
        onChange={(text) => change({ description: text })}
      />
      <Field label="Metadata" aside="optional" error={faultAt("metadata")}>
        {() => (
          <PairRows
            noun="pair"
            pairs={metadata}
            onChange={(next) => change({ metadata: next })}
            faultAt={({ key }) => faultAt(key)}
          />
        )}
      </Field>
    </FormDialog>
  );
}

function send(store: MemoryStore | null, { name, description, metadata }: Form): Promise<MemoryStore> {
  const twice = repeated(metadata);
  if (twice !== undefined) throw new FormFault(twice.key, "This name is already used.");
  const fields = { name: name.trim(), description: description.trim() === "" ? null : description.trim() };
  const record = recordOf(metadata);
  if (store === null) return berth.memoryStores.create({ ...fields, metadata: record });
  return berth.memoryStores.update(store.id, { ...fields, metadata: patchOf(store.metadata, record) });
}
