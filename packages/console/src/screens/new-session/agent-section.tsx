import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { agentChoices, skillChoices, useFirstChoice } from "../../api/queries/choices.ts";
import { initialModel, modelsQuery } from "../../api/queries/models.ts";
import { formatShort } from "../../format/numbers.ts";
import { Field, TextAreaField } from "../../ui/field.tsx";
import { FormSection, Segments } from "../../ui/form-section.tsx";
import { MultiChoice } from "../../ui/multi-choice.tsx";
import { Select } from "../../ui/select.tsx";
import type { Form } from "./form.ts";

type Props = { form: Form; change: (part: Partial<Form>) => void; faultAt: (field: string) => string | null };

/**
 * Offers the choice of a new session's agent: an existing one, or a model and a system prompt from which one
 * is created.
 */
export function AgentSection({ form, change, faultAt }: Props) {
  const { data: agents } = useQuery(agentChoices);
  const { data: models } = useQuery(modelsQuery);
  const none = agents !== undefined && agents.length === 0;
  const first = useFirstChoice("agentId", agents);
  const model = initialModel(models);
  useEffect(() => {
    if (form.agentId === null && first !== undefined) change({ agentId: first });
    if (form.model === null && model !== null) change({ model });
    if (none && form.agentMode === "existing") change({ agentMode: "quick" });
  });
  return (
    <FormSection title="Agent" about="The agent that works on the task, with its model and tools.">
      <Segments
        label="Agent"
        value={form.agentMode}
        choices={[
          { value: "existing", label: "Choose an agent" },
          { value: "quick", label: "Just a model" },
        ]}
        onChange={(agentMode) => change({ agentMode })}
      />
      {form.agentMode === "existing" ? (
        <ExistingAgent form={form} change={change} faultAt={faultAt} />
      ) : (
        <QuickAgent form={form} change={change} faultAt={faultAt} />
      )}
    </FormSection>
  );
}

function ExistingAgent({ form, change, faultAt }: Props) {
  const { agentId, agentVersion } = form;
  return (
    <AgentField
      agentId={agentId}
      error={faultAt("agent")}
      {...(agentVersion === null
        ? {}
        : { hint: `Version ${agentVersion}, as in the session that you copy.` })}
      onChange={(id) => change({ agentId: id, agentVersion: null })}
    />
  );
}

type FieldProps = {
  agentId: string | null;
  error: string | null;
  /** Default: the skills of the agent. */
  hint?: string;
  onChange: (agentId: string | null) => void;
};

/** Offers the choice of an agent. */
export function AgentField({ agentId, error, hint, onChange }: FieldProps) {
  const { data: agents = [] } = useQuery(agentChoices);
  const agent = agents.find(({ id }) => id === agentId);
  const choices = agents.map(({ id, name, model, version }) => ({
    value: id,
    label: name,
    about: `${model.id}, version ${version}`,
  }));
  const unknown =
    agentId !== null && agent === undefined
      ? [{ value: agentId, label: agentId, about: "Not among the newest" }]
      : [];
  const skills = agent?.skills.map(({ name }) => name) ?? [];
  return (
    <Field
      label="Agent"
      error={error}
      hint={hint ?? (skills.length > 0 ? `Skills: ${skills.join(", ")}` : undefined)}
    >
      {(control) => (
        <Select {...control} value={agentId} choices={[...unknown, ...choices]} onChange={onChange} />
      )}
    </Field>
  );
}

function QuickAgent({ form, change, faultAt }: Props) {
  const { data: models = [] } = useQuery(modelsQuery);
  const { data: skills = [] } = useQuery(skillChoices);
  const choices = models.map(({ id, effective_context_window: window, price }) => ({
    value: id,
    label: id,
    about: `${formatShort(window)} tokens of context${price === null ? "" : `, $${price.input} in and $${price.output} out for a million`}`,
  }));
  return (
    <>
      <Field label="Model" error={faultAt("model")}>
        {(control) => (
          <Select {...control} value={form.model} choices={choices} onChange={(model) => change({ model })} />
        )}
      </Field>
      <TextAreaField
        label="System prompt"
        aside="optional"
        error={faultAt("system")}
        rows={2}
        placeholder="You are careful with other people's code."
        value={form.system}
        onChange={(text) => change({ system: text })}
      />
      <Field label="Skills" aside="optional" error={faultAt("skills")}>
        {() => (
          <MultiChoice
            label="Add a skill"
            choices={skills.map(({ id, display_title, name }) => ({
              value: id,
              label: display_title ?? name,
            }))}
            chosen={form.skillIds}
            onChange={(skillIds) => change({ skillIds })}
            empty="There are no skills yet. Upload one under Skills."
          />
        )}
      </Field>
    </>
  );
}
