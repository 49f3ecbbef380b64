import type { Agent } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import type { ReactNode } from "react";
import { TextAreaField } from "../../ui/field.tsx";
import { FormSection } from "../../ui/form-section.tsx";
import { GitIdentitySection } from "../../ui/git-identity-section.tsx";
import { MetadataSection } from "../../ui/metadata-section.tsx";
import { NameSection } from "../../ui/name-section.tsx";
import { callOfForm, PageForm } from "../../ui/page-form.tsx";
import { useSave } from "../../ui/use-save.ts";
import { type AgentForm, placeOf, bodyOf as wholeBody } from "./form.ts";
import { McpSection } from "./mcp-section.tsx";
import { ModelSection } from "./model-section.tsx";
import { SkillsSection } from "./skills-section.tsx";
import { ToolsSection } from "./tools-section.tsx";

type Props = {
  form: AgentForm;
  change: (part: Partial<AgentForm>) => void;
  discard: (() => void) | undefined;
  verb: string;
  /** The id of the agent to change; absent for a new one. */
  changes?: string;
  bodyOf?: (form: AgentForm) => object;
  send: (form: AgentForm) => Promise<Agent>;
  onSaved: (agent: Agent) => Promise<void>;
  children?: ReactNode;
};

/** Shows the form of an agent. */
export function AgentEditor(props: Props) {
  const { form, change, discard, verb, changes, bodyOf = wholeBody, children } = props;
  const saving = useSave({
    act: async () => await props.send(form),
    placeOf: (param) => placeOf(param, form),
    onSaved: (agent) => void props.onSaved(agent),
  });
  const { faultAt } = saving;
  const sections = { form, change, faultAt };
  const call =
    changes === undefined
      ? { operation: operations.agents.create }
      : { operation: operations.agents.update, params: { agent_id: changes } };
  return (
    <PageForm
      saving={saving}
      verb={verb}
      discard={discard}
      call={callOfForm(() => bodyOf(form), call)}
      notes={children}
    >
      <NameSection
        {...sections}
        title="Agent"
        isNew={form.version === null}
        example="What it is for, for other people"
      />
      <ModelSection {...sections} />
      <FormSection title="System prompt" about="What the agent is told before every task.">
        <TextAreaField
          label="System prompt"
          aside={`${form.system.length.toLocaleString("en-US")} of 100,000`}
          error={faultAt("system")}
          rows={12}
          placeholder="You review changes. You say what is wrong and why, and change nothing."
          value={form.system}
          onChange={(text) => change({ system: text })}
          controlClass="font-mono text-xs"
        />
      </FormSection>
      <ToolsSection {...sections} />
      <McpSection {...sections} />
      <SkillsSection {...sections} />
      <GitIdentitySection
        identity={form}
        change={change}
        faultAt={faultAt}
        about="The author and committer of its commits, unless the environment or the session sets another."
      />
      <MetadataSection
        metadata={form.metadata}
        onChange={(metadata) => change({ metadata })}
        faultAt={faultAt}
        about="For your own programs; the agent does not see it."
      />
    </PageForm>
  );
}
