import type { Skill } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { berth } from "../../api/client.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { useActions } from "../../shell/actions.ts";
import { agoColumn, nameColumn } from "../../shell/list-columns.tsx";
import { type ListKind, ListScreen } from "../../shell/list-screen.tsx";
import { NewSkillDialog } from "./new-skill-dialog.tsx";

const route = getRouteApi("/skills");

const SKILLS: ListKind<Skill> = {
  title: "Skills",
  noun: "skills",
  icon: "skill",
  operation: operations.skills.list,
  load: (query) => berth.skills.list(query),
  words: ({ name, display_title, description, id }) => [name, display_title, description, id],
  placeholder: "Name, words or id",
  columns: [
    nameColumn(
      ({ name, display_title }) => display_title ?? name,
      "sm:w-1/3",
      ({ name, display_title }) =>
        display_title !== null && <span className="block truncate font-mono text-xs text-faint">{name}</span>,
    ),
    {
      title: "Description",
      className: "max-md:hidden",
      cellClass: "max-w-0 truncate text-muted md:w-1/2",
      cell: ({ description }) => showUnseen(description),
    },
    {
      title: "Version",
      align: "right",
      className: "max-sm:hidden",
      cellClass: "text-muted",
      cell: ({ latest_version }) => latest_version,
    },
    agoColumn("Changed", "pr-4", ({ updated_at }) => updated_at),
  ],
  empty: {
    title: "No skills yet",
    about:
      "A skill is a directory with a SKILL.md that explains a task, and the files for it. Agents read it when they need it.",
    command: "berth skills create ./triage",
  },
};

export function SkillsScreen() {
  const navigate = route.useNavigate();
  const [adding, setAdding] = useState(false);
  const add = () => setAdding(true);
  useActions([{ id: "upload", label: "Upload a skill", group: "Skills", icon: "upload", run: add }]);
  return (
    <ListScreen
      kind={SKILLS}
      search={route.useSearch()}
      onSearch={(search) => void navigate({ search, replace: true })}
      create={{ label: "Upload", first: "Upload a skill", icon: "upload", onAdd: add }}
    >
      <NewSkillDialog open={adding} onClose={() => setAdding(false)} />
    </ListScreen>
  );
}
