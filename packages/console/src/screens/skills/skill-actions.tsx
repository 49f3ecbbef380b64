import type { Skill } from "@berth/sdk";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { berth } from "../../api/client.ts";
import { useActions } from "../../shell/actions.ts";
import { AskToEnd } from "../../shell/ask-to-end.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { Menu, MenuEnd, MenuItem } from "../../ui/menu.tsx";
import { EditSkillDialog } from "./edit-skill-dialog.tsx";
import { NewVersionDialog } from "./new-version-dialog.tsx";

type Asked = "upload" | "edit" | "archive" | "delete";

/** Offers the actions of a skill. */
export function SkillActions({ skill }: { skill: Skill }) {
  const navigate = useNavigate();
  const [asked, setAsked] = useState<Asked | null>(null);
  const isArchived = skill.archived_at !== null;
  const name = skill.display_title ?? skill.name;
  const close = () => setAsked(null);
  const act = (id: Asked, label: string, icon: "upload" | "skill" | "archive" | "trash") => ({
    id,
    label,
    group: "Skill",
    icon,
    run: () => setAsked(id),
  });
  useActions([
    ...(isArchived
      ? []
      : [
          act("upload", "Upload a version of this skill", "upload"),
          act("archive", "Archive this skill", "archive"),
        ]),
    act("edit", "Change title and metadata of this skill", "skill"),
    act("delete", "Delete this skill", "trash"),
  ]);
  return (
    <>
      {!isArchived && (
        <Button size="small" look="primary" icon="upload" onClick={() => setAsked("upload")}>
          <span className="max-sm:sr-only">New version</span>
        </Button>
      )}
      <Menu trigger={<IconButton icon="dots" label="More actions" />}>
        <MenuItem icon="skill" onSelect={() => setAsked("edit")}>
          Title and metadata…
        </MenuItem>
        <MenuEnd
          isArchived={isArchived}
          onArchive={() => setAsked("archive")}
          onDelete={() => setAsked("delete")}
        />
      </Menu>
      <NewVersionDialog skill={skill} open={asked === "upload"} onClose={close} />
      <EditSkillDialog key={skill.updated_at} skill={skill} open={asked === "edit"} onClose={close} />
      <AskToEnd
        asked={asked}
        onClose={close}
        id={skill.id}
        name={name}
        noun="skill"
        queryKey="skills"
        calls={berth.skills}
        means={{
          archive:
            "Agents and sessions that have it keep it. It can no longer be given to others, and this cannot be undone.",
          delete:
            "All its versions are gone for good. A skill that an agent or a session uses cannot be deleted.",
        }}
        onDeleted={() => navigate({ to: "/skills" })}
      />
    </>
  );
}
