import type { Skill } from "@berth/sdk";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { berth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { useMutation } from "../../api/use-mutation.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Command } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { toast } from "../../ui/toast.tsx";
import { SkillDrop } from "./skill-drop.tsx";
import { type SkillFile, uploadOf } from "./skill-files.ts";

/** Uploads a new version of a skill. */
export function NewVersionDialog({
  skill,
  open,
  onClose,
}: {
  skill: Skill;
  open: boolean;
  onClose: () => void;
}) {
  const navigate = useNavigate();
  const [files, setFiles] = useState<readonly SkillFile[]>([]);
  const upload = useMutation({
    mutationFn: () => berth.skills.createVersion(skill.id, uploadOf(files)),
    onSuccess: ({ version }) => {
      setFiles([]);
      onClose();
      toast(`Version ${version} is there`);
      void queryClient.invalidateQueries({ queryKey: ["skills"] });
      void navigate({ to: "/skills/$skillId", params: { skillId: skill.id }, search: { version } });
    },
  });
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`New version of ${skill.name}`}
      description={`All its files. The name in the SKILL.md stays ${skill.name}.`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            busy={upload.isPending}
            disabled={files.length === 0}
            onClick={() => upload.mutate()}
          >
            Upload
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <SkillDrop
          files={files}
          onChange={(next) => {
            upload.reset();
            setFiles(next);
          }}
        />
        {upload.isError && <ErrorBox error={upload.error} />}
        <div className="text-xs text-faint">
          The same by command line:
          <Command text={`berth skills create-version ${skill.id} ./directory`} />
        </div>
      </div>
    </Dialog>
  );
}
