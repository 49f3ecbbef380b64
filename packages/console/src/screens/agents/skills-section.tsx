import { useQuery } from "@tanstack/react-query";
import { skillChoices } from "../../api/queries/choices.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { FormSection } from "../../ui/form-section.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { Select } from "../../ui/select.tsx";
import type { FaultAt } from "../../ui/use-save.ts";
import type { AgentForm, SkillEntry } from "./form.ts";

type Props = { form: AgentForm; change: (part: Partial<AgentForm>) => void; faultAt: FaultAt };

/** Edits the skills of an agent, each at its newest or at a fixed version. */
export function SkillsSection({ form, change, faultAt }: Props) {
  const { data: skills = [] } = useQuery(skillChoices);
  const free = skills.filter(({ id }) => !form.skills.some(({ skillId }) => skillId === id));
  const set = (id: string, version: number | null) =>
    change({ skills: form.skills.map((one) => (one.skillId === id ? { ...one, version } : one)) });
  return (
    <FormSection title="Skills" about="Instructions and files that the agent reads when it needs them.">
      {form.skills.length > 0 && (
        <ul className="flex flex-col gap-2">
          {form.skills.map((skill) => (
            <SkillRow
              key={skill.skillId}
              skill={skill}
              newest={skills.find(({ id }) => id === skill.skillId)?.latest_version ?? skill.version ?? 1}
              fault={faultAt(`skill ${skill.skillId}`)}
              onVersion={(version) => set(skill.skillId, version)}
              onRemove={() =>
                change({ skills: form.skills.filter(({ skillId }) => skillId !== skill.skillId) })
              }
            />
          ))}
        </ul>
      )}
      <Menu
        align="start"
        trigger={
          <Button icon="plus" className="self-start">
            Add skill
          </Button>
        }
      >
        {free.length === 0 && (
          <p className="max-w-64 px-2 py-1.5 text-faint">
            {skills.length === 0 ? "No skill has been uploaded yet." : "The agent has all of them."}
          </p>
        )}
        {free.map(({ id, name, display_title }) => (
          <MenuItem
            key={id}
            onSelect={() => change({ skills: [...form.skills, { skillId: id, name, version: null }] })}
          >
            <span className="block max-w-72 truncate">{showUnseen(display_title ?? name)}</span>
          </MenuItem>
        ))}
      </Menu>
    </FormSection>
  );
}

type RowProps = {
  skill: SkillEntry;
  newest: number;
  fault: string | null;
  onVersion: (version: number | null) => void;
  onRemove: () => void;
};

function SkillRow({ skill: { name, version }, newest, fault, onVersion, onRemove }: RowProps) {
  const numbers = Array.from({ length: newest }, (_, index) => newest - index);
  return (
    <li>
      <div className="flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate">{showUnseen(name)}</span>
        <Select
          label={`Version of ${name}`}
          value={version === null ? "newest" : String(version)}
          choices={[
            { value: "newest", label: "Newest version", about: "The newest when a session is created" },
            ...numbers.map((number) => ({ value: String(number), label: `Version ${number}` })),
          ]}
          onChange={(value) => onVersion(value === "newest" ? null : Number(value))}
          className="h-7! w-40!"
        />
        <IconButton icon="cross" label={`Remove ${name}`} onClick={onRemove} />
      </div>
      {fault !== null && <p className="mt-1 text-xs text-bad">{fault}</p>}
    </li>
  );
}
