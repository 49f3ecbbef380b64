import type { Skill } from "@berth/sdk";
import { berth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { type Pair, pairsOf, patchOf, recordOf } from "../../format/pairs.ts";
import { Field, TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { PairRows } from "../../ui/pair-rows.tsx";
import { useFormDraft } from "../../ui/use-form-draft.ts";
import { useSave } from "../../ui/use-save.ts";

type Form = { title: string; metadata: Pair[] };

type Props = { skill: Skill; open: boolean; onClose: () => void };

/** Changes a skill's title and metadata, which are not part of its versions. */
export function EditSkillDialog({ skill, open, onClose }: Props) {
  const { form, change, reset } = useFormDraft<Form>(`skill ${skill.id}`, {
    title: skill.display_title ?? "",
    metadata: pairsOf(skill.metadata),
  });
  const { title = "", metadata = [] } = form ?? {};
  const { save, busy, error, faultAt } = useSave({
    act: () =>
      berth.skills.update(skill.id, {
        display_title: title.trim() === "" ? null : title.trim(),
        metadata: patchOf(skill.metadata, recordOf(metadata)),
      }),
    placeOf: (param) => param.replace(/[.[].*$/, ""),
    onSaved: () => {
      reset();
      onClose();
      void queryClient.invalidateQueries({ queryKey: ["skills"] });
    },
  });
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title="Title and metadata"
      verb="Save"
      busy={busy}
      onSave={save}
      error={error}
    >
      <TextField
        label="Title"
        aside="optional"
        error={faultAt("display_title")}
        maxLength={256}
        value={title}
        onChange={(text) => change({ title: text })}
      />
      <Field label="Metadata" error={faultAt("metadata")}>
        {() => (
          <PairRows
            noun="pair"
            pairs={metadata}
            onChange={(next) => change({ metadata: next })}
            faultAt={() => null}
          />
        )}
      </Field>
    </FormDialog>
  );
}
