import type { Environment } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { FormSection } from "../../ui/form-section.tsx";
import { GitIdentitySection } from "../../ui/git-identity-section.tsx";
import { MetadataSection } from "../../ui/metadata-section.tsx";
import { NameSection } from "../../ui/name-section.tsx";
import { callOfForm, PageForm } from "../../ui/page-form.tsx";
import { PairRows } from "../../ui/pair-rows.tsx";
import { useSave } from "../../ui/use-save.ts";
import { type EnvironmentForm, placeOf, bodyOf as wholeBody } from "./form.ts";
import { LimitsSection } from "./limits-section.tsx";
import { NetworkingSection } from "./networking-section.tsx";
import { SandboxSection } from "./sandbox-section.tsx";
import { SoftwareSection } from "./software-section.tsx";

type Props = {
  form: EnvironmentForm;
  change: (part: Partial<EnvironmentForm>) => void;
  discard: (() => void) | undefined;
  verb: string;
  isNew?: boolean;
  /** The id of the environment to change; absent for a new one. */
  changes?: string;
  bodyOf?: (form: EnvironmentForm) => object;
  send: (form: EnvironmentForm) => Promise<Environment>;
  onSaved: (environment: Environment) => Promise<void>;
};

/** Shows the form of an environment. */
export function EnvironmentEditor(props: Props) {
  const { form, change, discard, verb, isNew = false, changes, bodyOf = wholeBody } = props;
  const saving = useSave({
    act: async () => await props.send(form),
    placeOf: (param) => placeOf(param, form),
    onSaved: (environment) => void props.onSaved(environment),
  });
  const { faultAt } = saving;
  const sections = { form, change, faultAt };
  const call =
    changes === undefined
      ? { operation: operations.environments.create }
      : { operation: operations.environments.update, params: { environment_id: changes } };
  return (
    <PageForm saving={saving} verb={verb} discard={discard} call={callOfForm(() => bodyOf(form), call)}>
      <NameSection {...sections} title="Environment" isNew={isNew} />
      <NetworkingSection {...sections} />
      <SoftwareSection {...sections} />
      <FormSection
        title="Variables"
        about="Set for every command. The agent can read them; put secrets into a vault."
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
      <SandboxSection {...sections} />
      <LimitsSection {...sections} />
      <GitIdentitySection
        identity={form}
        change={change}
        faultAt={faultAt}
        about="The author and committer of the agents’ commits. It overrides the agent's setting; a session's own overrides it."
      />
      <MetadataSection
        metadata={form.metadata}
        onChange={(metadata) => change({ metadata })}
        faultAt={faultAt}
        about="For your own programs; agents do not see it."
      />
    </PageForm>
  );
}
