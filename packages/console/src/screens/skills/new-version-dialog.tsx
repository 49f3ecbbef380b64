import type { Skill } from "@berth/sdk";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { berth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { useMutation } from "../../api/use-mutation.ts";
import { Command } from "../../ui/empty.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { toast } from "../../ui/toast.tsx";
import { SkillDrop } from "./skill-drop.tsx";
import { type SkillFile, uploadOf } from "./skill-files.ts";

type Props = { skill: Skill; open: boolean; onClose: () => void };

/** Uploads a new version of a skill. */
export function NewVersionDialog({ skill, open, onClose }: Props) {
  const navigate = useNavigate();
  const [files, setFiles] = useState<readonly SkillFile[]>([]);
  const upload = useMutation({
    mutationFn: () => berth.skills.createVersion(skill.id, uploadOf(files)),
    onSuccess: ({ version }) => {
      setFiles([]);
      onClose();
      toast(`Version ${version} is uploaded`);
      void queryClient.invalidateQueries({ queryKey: ["skills"] });
      void navigate({ to: "/skills/$skillId", params: { skillId: skill.id }, search: { version } });
    },
  });
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title={`New version of ${skill.name}`}
      description={`Upload all its files. The name in the SKILL.md must stay ${skill.name}.`}
      verb="Upload"
      busy={upload.isPending}
      disabled={files.length === 0}
      onSave={() => upload.mutate()}
      error={upload.error}
    >
      <SkillDrop
        files={files}
        onChange={(next) => {
          upload.reset();
          setFiles(next);
        }}
      />
      <div className="text-xs text-faint">
        From the command line:
        <Command text={`berth skills create-version ${skill.id} ./directory`} />
      </div>
    </FormDialog>
  );
}
