import type { Memory, MemoryStore } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { useMemo } from "react";
import { berth } from "../../api/client.ts";
import { memoryQuery } from "../../api/queries/memory-stores.ts";
import { queryClient } from "../../api/query-client.ts";
import { hunksBetween } from "../../format/diff-lines.ts";
import { Button } from "../../ui/button.tsx";
import { DiffView } from "../../ui/diff-view.tsx";
import { FormBar } from "../../ui/form-bar.tsx";
import { useFormDraft } from "../../ui/use-form-draft.ts";
import { useSave } from "../../ui/use-save.ts";
import { MemoryFields, type MemoryForm } from "./memory-form.tsx";

type Props = { store: MemoryStore; memory: Memory; onDone: () => void };

/** A memory with the hash of the content that the edit started from. */
type EditForm = MemoryForm & { base: string };

/** Edits a memory. Saving fails if somebody else, such as an agent, has changed it meanwhile. */
export function EditMemory({ store, memory, onDone }: Props) {
  const start = { path: memory.path, content: memory.content ?? "", base: memory.content_sha256 };
  const draft = useFormDraft<EditForm>(`memory ${memory.id}`, start);
  const form = draft.form ?? start;
  const { base, ...fields } = form;
  const body = {
    ...fields,
    path: form.path.trim(),
    precondition: { type: "content_sha256" as const, content_sha256: base },
  };
  const { save, busy, error, faultAt } = useSave({
    act: () => berth.memoryStores.memories.update(store.id, memory.id, body),
    placeOf: (param) => param,
    onSaved: (saved) => {
      queryClient.setQueryData(memoryQuery(store.id, memory.id).queryKey, saved);
      void queryClient.invalidateQueries({ queryKey: ["memory stores", store.id] });
      draft.reset();
      onDone();
    },
  });
  return (
    <div className="px-4 pt-4">
      <MemoryFields form={form} change={draft.change} faultAt={faultAt} focus="content" onSave={save} />
      <FormBar
        error={error}
        busy={busy}
        verb="Save"
        onSave={save}
        onDiscard={() => {
          draft.reset();
          onDone();
        }}
        call={{
          operation: operations.memories.update,
          params: { memory_store_id: store.id, memory_id: memory.id },
          body,
        }}
      >
        {base !== memory.content_sha256 && (
          <Meanwhile
            theirs={memory.content ?? ""}
            mine={form.content}
            onOverwrite={() => draft.change({ base: memory.content_sha256 })}
            onTake={() => draft.change({ content: memory.content ?? "", base: memory.content_sha256 })}
          />
        )}
      </FormBar>
    </div>
  );
}

type MeanwhileProps = { theirs: string; mine: string; onOverwrite: () => void; onTake: () => void };

/** Shows what saving would change in a memory that somebody else has changed meanwhile. */
function Meanwhile({ theirs, mine, onOverwrite, onTake }: MeanwhileProps) {
  const hunks = useMemo(() => hunksBetween(theirs, mine), [theirs, mine]);
  return (
    <section className="my-4 overflow-hidden rounded-lg border border-line">
      <div className="flex flex-wrap items-center gap-2 bg-warn-soft px-3 py-2">
        <p className="min-w-0 flex-1">
          This memory was changed while you were editing it. The changes from its current text to yours:
        </p>
        <Button size="small" onClick={onTake}>
          Use the current text
        </Button>
        <Button size="small" onClick={onOverwrite}>
          Keep my text
        </Button>
      </div>
      <DiffView hunks={hunks} />
    </section>
  );
}
