import type { Agent } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import type { KeyboardEvent, ReactNode } from "react";
import { Field, Input, Textarea } from "../../ui/field.tsx";
import { FormBar } from "../../ui/form-bar.tsx";
import { FormSection } from "../../ui/form-section.tsx";
import { GitIdentitySection } from "../../ui/git-identity-section.tsx";
import { MetadataSection } from "../../ui/metadata-section.tsx";
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
  /** The agent that is changed. */
  changes?: string;
  bodyOf?: (form: AgentForm) => object;
  send: (form: AgentForm) => Promise<Agent>;
  onSaved: (agent: Agent) => Promise<void>;
  children?: ReactNode;
};

/** The form of an agent. */
export function AgentEditor(props: Props) {
  const { form, change, discard, verb, changes, bodyOf = wholeBody, children } = props;
  const { save, busy, error, faultAt, forget } = useSave({
    act: async () => await props.send(form),
    placeOf: (param) => placeOf(param, form),
    onSaved: (agent) => void props.onSaved(agent),
  });
  const sections = { form, change, faultAt };
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey) && !busy) save();
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of all fields in it
    <div className="mx-auto max-w-4xl px-4 pb-10 md:px-8" onKeyDown={onKeyDown}>
      <fieldset disabled={busy} className="contents">
        <FormSection title="Agent">
          <Field label="Name" error={faultAt("name")}>
            {(control) => (
              <Input
                {...control}
                autoFocus={form.version === null}
                maxLength={256}
                value={form.name}
                onChange={(event) => change({ name: event.target.value })}
              />
            )}
          </Field>
          <Field label="Description" aside="optional" error={faultAt("description")}>
            {(control) => (
              <Input
                {...control}
                maxLength={2_048}
                placeholder="What it is for, for other people"
                value={form.description}
                onChange={(event) => change({ description: event.target.value })}
              />
            )}
          </Field>
        </FormSection>
        <ModelSection {...sections} />
        <FormSection title="System prompt" about="What the agent is told before every task.">
          <Field
            label="System prompt"
            aside={`${form.system.length.toLocaleString("en-US")} of 100,000`}
            error={faultAt("system")}
          >
            {(control) => (
              <Textarea
                {...control}
                rows={12}
                placeholder="You review changes. You say what is wrong and why, and change nothing."
                value={form.system}
                onChange={(event) => change({ system: event.target.value })}
                className="font-mono text-xs"
              />
            )}
          </Field>
        </FormSection>
        <ToolsSection {...sections} />
        <McpSection {...sections} />
        <SkillsSection {...sections} />
        <GitIdentitySection
          identity={form}
          change={change}
          faultAt={faultAt}
          about="Author and committer of its commits, unless the environment or the session names another."
        />
        <MetadataSection
          metadata={form.metadata}
          onChange={(metadata) => change({ metadata })}
          faultAt={faultAt}
          about="For your own programs; the agent does not see it."
        />
      </fieldset>
      <FormBar
        error={error}
        busy={busy}
        verb={verb}
        onSave={save}
        onDiscard={
          discard &&
          (() => {
            discard();
            forget();
          })
        }
        call={callOf(form, changes, bodyOf)}
      >
        {children}
      </FormBar>
    </div>
  );
}

/** Null while something in the form cannot be sent. */
function callOf(form: AgentForm, changes: string | undefined, bodyOf: (form: AgentForm) => object) {
  try {
    const body = bodyOf(form);
    return changes === undefined
      ? { operation: operations.agents.create, body }
      : { operation: operations.agents.update, params: { agent_id: changes }, body };
  } catch {
    return null;
  }
}
