import type { MemoryStore } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { berth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { FormBar } from "../../ui/form-bar.tsx";
import { useFormDraft } from "../../ui/use-form-draft.ts";
import { useSave } from "../../ui/use-save.ts";
import { MemoryFields, type MemoryForm } from "./memory-form.tsx";

type Props = { store: MemoryStore; onSaved: (memoryId: string) => void };

/** Creates a memory. */
export function NewMemory({ store, onSaved }: Props) {
  const draft = useFormDraft<MemoryForm>(`new memory ${store.id}`, { path: "/", content: "" });
  const form = draft.form ?? { path: "/", content: "" };
  const { save, busy, error, faultAt, forget } = useSave({
    act: () => berth.memoryStores.memories.create(store.id, { ...form, path: form.path.trim() }),
    placeOf: (param) => param,
    onSaved: ({ id }) => {
      draft.reset();
      void queryClient.invalidateQueries({ queryKey: ["memory stores", store.id] }).then(() => onSaved(id));
    },
  });
  return (
    <div className="px-4 pt-4">
      <MemoryFields form={form} change={draft.change} faultAt={faultAt} focus="path" onSave={save} />
      <FormBar
        error={error}
        busy={busy}
        verb="Create memory"
        onSave={save}
        onDiscard={
          draft.changed
            ? () => {
                draft.reset();
                forget();
              }
            : undefined
        }
        call={{ operation: operations.memories.create, params: { memory_store_id: store.id }, body: form }}
      />
    </div>
  );
}
