import type { Skill } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { berth } from "../../api/client.ts";
import { useList } from "../../api/use-list.ts";
import { withChange } from "../../format/search.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { useActions } from "../../shell/actions.ts";
import { ListFilters } from "../../shell/list-filters.tsx";
import { hasText, LIVE_MS, listQueryOf } from "../../shell/list-search.ts";
import { ObjectList } from "../../shell/object-list.tsx";
import { Page } from "../../shell/page.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CallButton } from "../../ui/call-button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Ago, useNow } from "../../ui/moment.tsx";
import { Cell, HeadCell, Line, lineLinkClass } from "../../ui/table.tsx";
import { NewSkillDialog } from "./new-skill-dialog.tsx";
import { skillsRoute } from "./route.ts";

/** All skills that one may see, the newest first. */
export function SkillsScreen() {
  const search = skillsRoute.useSearch();
  const navigate = useNavigate({ from: "/skills" });
  const [adding, setAdding] = useState(false);
  const query = { ...listQueryOf(search, useNow()), limit: search.q === undefined ? 50 : 100 };
  const list = useList(["skills", "list", query], () => berth.skills.list(query), { live: LIVE_MS });
  const shown = list.items.filter(({ name, display_title, description, id }) =>
    hasText([name, display_title, description, id], search),
  );
  const add = () => setAdding(true);
  const clear = () => void navigate({ search: {}, replace: true });
  useActions([{ id: "upload", label: "Upload a skill", group: "Skills", icon: "upload", run: add }]);
  return (
    <Page
      title="Skills"
      actions={
        <>
          <CallButton calls={[{ operation: operations.skills.list, query }]} />
          <Button look="primary" size="small" icon="upload" onClick={add}>
            Upload
          </Button>
        </>
      }
    >
      <ListFilters
        search={search}
        placeholder="Name, words or id"
        onChange={(change) => void navigate({ search: withChange(search, change), replace: true })}
        onClear={clear}
      />
      <ObjectList
        label="Skills"
        list={list}
        shown={shown}
        searching={search.q !== undefined}
        filtered={Object.keys(search).length > 0}
        onClear={clear}
        onOpen={({ id }) => void navigate({ to: "/skills/$skillId", params: { skillId: id } })}
        head={<Head />}
        line={(skill, place) => <SkillLine key={skill.id} skill={skill} {...place} />}
        empty={<NoSkills onAdd={add} />}
      />
      <NewSkillDialog open={adding} onClose={() => setAdding(false)} />
    </Page>
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
      <Cell className="max-w-0 py-1.5 pl-4 sm:w-1/3">
        <span className="flex items-center gap-2">
          <Link to="/skills/$skillId" params={{ skillId: id }} className={lineLinkClass}>
            {showUnseen(title ?? name)}
          </Link>
          {archived_at !== null && <Badge>Archived</Badge>}
        </span>
        {title !== null && <span className="block truncate font-mono text-xs text-faint">{name}</span>}
      </Cell>
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

function NoSkills({ onAdd }: { onAdd: () => void }) {
  return (
    <Empty
      icon="skill"
      title="No skills yet"
      command="berth skills create ./triage"
      action={
        <Button look="primary" icon="upload" onClick={onAdd}>
          Upload a skill
        </Button>
      }
    >
      A skill is a directory with a SKILL.md that tells an agent how to do something. Agents read it when they
      need it.
    </Empty>
  );
}
