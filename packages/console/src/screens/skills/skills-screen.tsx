import type { Skill } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { berth } from "../../api/client.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { useActions } from "../../shell/actions.ts";
import { ListScreen } from "../../shell/list-screen.tsx";
import { NameCell } from "../../shell/name-cell.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyList } from "../../ui/empty.tsx";
import { Ago } from "../../ui/moment.tsx";
import { Cell, HeadCell, Line } from "../../ui/table.tsx";
import { NewSkillDialog } from "./new-skill-dialog.tsx";

const route = getRouteApi("/skills");

export function SkillsScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [adding, setAdding] = useState(false);
  const add = () => setAdding(true);
  useActions([{ id: "upload", label: "Upload a skill", group: "Skills", icon: "upload", run: add }]);
  return (
    <ListScreen
      title="Skills"
      noun="skills"
      operation={operations.skills.list}
      load={(query) => berth.skills.list(query)}
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true })}
      words={({ name, display_title, description, id }) => [name, display_title, description, id]}
      placeholder="Name, words or id"
      action={
        <Button look="primary" size="small" icon="upload" onClick={add}>
          Upload
        </Button>
      }
      onOpen={({ id }) => void navigate({ to: "/skills/$skillId", params: { skillId: id } })}
      head={<Head />}
      line={(skill, place) => <SkillLine key={skill.id} skill={skill} {...place} />}
      empty={
        <EmptyList
          icon="skill"
          title="No skills yet"
          command="berth skills create ./triage"
          verb="Upload a skill"
          verbIcon="upload"
          onAdd={add}
        >
          A skill is a directory with a SKILL.md that tells an agent how to do something. Agents read it when
          they need it.
        </EmptyList>
      }
    >
      <NewSkillDialog open={adding} onClose={() => setAdding(false)} />
    </ListScreen>
  );
}

function Head() {
  return (
    <>
      <HeadCell className="pl-4">Name</HeadCell>
      <HeadCell className="max-md:hidden">What it is for</HeadCell>
      <HeadCell align="right" className="max-sm:hidden">
        Version
      </HeadCell>
      <HeadCell align="right" className="pr-4">
        Changed
      </HeadCell>
    </>
  );
}

function SkillLine({ skill, ...place }: { skill: Skill; index: number; marked: boolean }) {
  const { id, name, display_title: title, description, latest_version, archived_at, updated_at } = skill;
  return (
    <Line {...place}>
      <NameCell id={id} name={title ?? name} isArchived={archived_at !== null} className="sm:w-1/3">
        {title !== null && <span className="block truncate font-mono text-xs text-faint">{name}</span>}
      </NameCell>
      <Cell className="max-w-0 truncate text-muted max-md:hidden md:w-1/2">{showUnseen(description)}</Cell>
      <Cell align="right" className="text-muted max-sm:hidden">
        {latest_version}
      </Cell>
      <Cell align="right" className="pr-4 whitespace-nowrap text-faint">
        <Ago at={updated_at} />
      </Cell>
    </Line>
  );
}
