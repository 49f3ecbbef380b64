import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { berth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { Command } from "../../ui/empty.tsx";
import { TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { useDraft } from "../../ui/use-draft.ts";
import { useSave } from "../../ui/use-save.ts";
import { SkillDrop } from "./skill-drop.tsx";
import { type SkillFile, uploadOf } from "./skill-files.ts";

/** Uploads a new skill. */
export function NewSkillDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const navigate = useNavigate();
  const [files, setFiles] = useState<readonly SkillFile[]>([]);
  const [title, setTitle] = useDraft("new skill title");
  const { save, busy, error, faultAt, forget } = useSave({
    act: () =>
      berth.skills.create(uploadOf(files), title.trim() === "" ? {} : { display_title: title.trim() }),
    placeOf: (param) => param,
    onSaved: (skill) => {
      setTitle("");
      setFiles([]);
      void queryClient.invalidateQueries({ queryKey: ["skills"] });
      void navigate({ to: "/skills/$skillId", params: { skillId: skill.id } });
    },
  });
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title="Upload a skill"
      verb="Upload"
      busy={busy}
      disabled={files.length === 0}
      onSave={save}
      error={error}
    >
      <SkillDrop
        files={files}
        onChange={(next) => {
          forget();
          setFiles(next);
        }}
      />
      <TextField
        label="Title"
        aside="optional"
        hint="Its name and description are in its SKILL.md."
        error={faultAt("display_title")}
        maxLength={256}
        value={title}
        onChange={(text) => setTitle(text)}
      />
      <div className="text-xs text-faint">
        From the command line:
        <Command text="berth skills create ./directory" />
      </div>
    </FormDialog>
  );
}
