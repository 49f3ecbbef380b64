import type { Environment } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import type { KeyboardEvent } from "react";
import { Field, Input } from "../../ui/field.tsx";
import { FormBar } from "../../ui/form-bar.tsx";
import { FormSection } from "../../ui/form-section.tsx";
import { GitIdentitySection } from "../../ui/git-identity-section.tsx";
import { MetadataSection } from "../../ui/metadata-section.tsx";
import { PairRows } from "../../ui/pair-rows.tsx";
import { useSave } from "../../ui/use-save.ts";
import { type EnvironmentForm, placeOf, bodyOf as wholeBody } from "./form.ts";
import { LimitsSection } from "./limits-section.tsx";
import { NetworkingSection } from "./networking-section.tsx";
import { SoftwareSection } from "./software-section.tsx";

type Props = {
  form: EnvironmentForm;
  change: (part: Partial<EnvironmentForm>) => void;
  discard: (() => void) | undefined;
  verb: string;
  isNew?: boolean;
  /** The environment that is changed. */
  changes?: string;
  bodyOf?: (form: EnvironmentForm) => object;
  send: (form: EnvironmentForm) => Promise<Environment>;
  onSaved: (environment: Environment) => Promise<void>;
};

/** The form of an environment. */
export function EnvironmentEditor(props: Props) {
  const { form, change, discard, verb, isNew = false, changes, bodyOf = wholeBody } = props;
  const { save, busy, error, faultAt, forget } = useSave({
    act: async () => await props.send(form),
    placeOf: (param) => placeOf(param, form),
    onSaved: (environment) => void props.onSaved(environment),
  });
  const sections = { form, change, faultAt };
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey) && !busy) save();
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of all fields in it
    <div className="mx-auto max-w-4xl px-4 pb-10 md:px-8" onKeyDown={onKeyDown}>
      <fieldset disabled={busy} className="contents">
        <FormSection title="Environment">
          <Field label="Name" error={faultAt("name")}>
            {(control) => (
              <Input
                {...control}
                autoFocus={isNew}
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
                value={form.description}
                onChange={(event) => change({ description: event.target.value })}
              />
            )}
          </Field>
        </FormSection>
        <NetworkingSection {...sections} />
        <SoftwareSection {...sections} />
        <FormSection
          title="Variables"
          about="Of every command. The agent can read them: secrets belong into a vault."
        >
          <PairRows
            noun="variable"
            placeholder="NAME"
            pairs={form.variables}
            onChange={(variables) => change({ variables })}
            faultAt={({ key }) => faultAt(`variable ${key}`)}
          />
          {faultAt("environment_variables") !== null && (
            <p className="text-xs text-bad">{faultAt("environment_variables")}</p>
          )}
        </FormSection>
        <LimitsSection {...sections} />
        <GitIdentitySection
          identity={form}
          change={change}
          faultAt={faultAt}
          about="Author and committer of the agents’ commits, before what the agent says, after what the session says."
        />
        <MetadataSection
          metadata={form.metadata}
          onChange={(metadata) => change({ metadata })}
          faultAt={faultAt}
          about="For your own programs; agents do not see it."
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
      />
    </div>
  );
}

/** Null while something in the form cannot be sent. */
function callOf(
  form: EnvironmentForm,
  changes: string | undefined,
  bodyOf: (form: EnvironmentForm) => object,
) {
  try {
    const body = bodyOf(form);
    return changes === undefined
      ? { operation: operations.environments.create, body }
      : { operation: operations.environments.update, params: { environment_id: changes }, body };
  } catch {
    return null;
  }
}
