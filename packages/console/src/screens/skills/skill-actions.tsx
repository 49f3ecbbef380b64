import type { Skill } from "@berth/sdk";
import { useState } from "react";
import { berth } from "../../api/client.ts";
import type { Ending } from "../../shell/ask-to-end.tsx";
import { ObjectActions } from "../../shell/object-actions.tsx";
import { EditSkillDialog } from "./edit-skill-dialog.tsx";
import { NewVersionDialog } from "./new-version-dialog.tsx";

const ENDING: Ending = {
  noun: "skill",
  queryKey: "skills",
  list: "/skills",
  calls: berth.skills,
  means: {
    archive:
      "Agents and sessions that use it keep it. No other agent or session can use it. This cannot be undone.",
    delete:
      "All its versions are deleted for good. A skill that an agent or a session uses cannot be deleted.",
  },
};

/** Offers the actions of a skill. */
export function SkillActions({ skill }: { skill: Skill }) {
  const [asked, setAsked] = useState<"upload" | "edit" | null>(null);
  const close = () => setAsked(null);
  return (
    <ObjectActions
      item={skill}
      name={skill.display_title ?? skill.name}
      group="Skill"
      sharing="skills"
      ending={ENDING}
      actions={[
        {
          id: "upload",
          label: "Upload a version of this skill",
          button: "New version",
          icon: "upload",
          run: () => setAsked("upload"),
        },
        {
          id: "edit",
          label: "Edit title and metadata of this skill",
          menu: "Title and metadata…",
          icon: "skill",
          always: true,
          run: () => setAsked("edit"),
        },
      ]}
    >
      <NewVersionDialog skill={skill} open={asked === "upload"} onClose={close} />
      <EditSkillDialog key={skill.updated_at} skill={skill} open={asked === "edit"} onClose={close} />
    </ObjectActions>
  );
}
