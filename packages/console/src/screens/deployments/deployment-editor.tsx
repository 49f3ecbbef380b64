import type { Deployment } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { agentChoices, useFirstChoice } from "../../api/queries/choices.ts";
import { Field } from "../../ui/field.tsx";
import { FormSection } from "../../ui/form-section.tsx";
import { MetadataSection } from "../../ui/metadata-section.tsx";
import { NameSection } from "../../ui/name-section.tsx";
import { callOfForm, PageForm } from "../../ui/page-form.tsx";
import { Select } from "../../ui/select.tsx";
import { Switch } from "../../ui/switch.tsx";
import { type FaultAt, useSave } from "../../ui/use-save.ts";
import { AgentField } from "../new-session/agent-section.tsx";
import { EnvironmentSection } from "../new-session/environment-section.tsx";
import { FilesSection } from "../new-session/files-section.tsx";
import { withoutSecrets } from "../new-session/form.ts";
import { MoreSection } from "../new-session/more-section.tsx";
import { RepositoriesSection } from "../new-session/repositories-section.tsx";
import { FollowFields } from "../session/pulls/follow-fields.tsx";
import { boundsOf } from "../session/pulls/follow-form.ts";
import { type DeploymentForm, placeOf } from "./form.ts";
import { MessagesSection } from "./messages-section.tsx";
import { ScheduleSection } from "./schedule-section.tsx";

type Body = { resources?: readonly object[] };

type Props = {
  form: DeploymentForm;
  change: (part: Partial<DeploymentForm>) => void;
  discard: (() => void) | undefined;
  verb: string;
  /** The id of the deployment to change; null for a new one. */
  changes: string | null;
  bodyOf: (form: DeploymentForm) => Body;
  send: (form: DeploymentForm) => Promise<Deployment>;
  onSaved: (deployment: Deployment) => Promise<void>;
};

/** Shows the form of a deployment. */
export function DeploymentEditor({ form, change, discard, verb, changes, bodyOf, send, onSaved }: Props) {
  const [uploading, setUploading] = useState(false);
  const saving = useSave({
    act: async () => await send(form),
    placeOf: (param) => placeOf(param, form),
    onSaved: (deployment) => void onSaved(deployment),
  });
  const { faultAt } = saving;
  const sections = { form, change, faultAt };
  const call =
    changes === null
      ? { operation: operations.deployments.create }
      : { operation: operations.deployments.update, params: { deployment_id: changes } };
  return (
    <PageForm
      saving={saving}
      disabled={uploading}
      verb={verb}
      discard={discard}
      call={callOfForm(() => withoutSecrets(bodyOf(form)), call)}
    >
      <NameSection
        {...sections}
        title="Deployment"
        isNew={changes === null}
        example="Runs the tests each night"
      />
      <ScheduleSection
        schedule={form.schedule}
        onChange={(schedule) => change({ schedule })}
        faultAt={faultAt}
      />
      <MessagesSection
        messages={form.messages}
        onChange={(messages) => change({ messages })}
        fault={faultAt("messages")}
      />
      <AgentOfRuns {...sections} />
      <EnvironmentSection {...sections} />
      <RepositoriesSection
        {...sections}
        clones={null}
        note={form.base !== null && hasSecrets(form.base) && <TokensNote />}
      />
      <FormSection
        title="Pull requests"
        about="The agent gets failed checks, requested changes and comments, until its pull request is merged."
      >
        <Switch
          checked={form.follow !== null}
          onChange={(on) => change({ follow: on ? boundsOf(null) : null })}
        >
          Follow until merged
        </Switch>
        {form.follow !== null && (
          <div className="grid gap-4 sm:grid-cols-2">
            <FollowFields
              bounds={form.follow}
              change={(part) => change({ follow: { ...boundsOf(null), ...form.follow, ...part } })}
              faultAt={faultAt}
            />
          </div>
        )}
      </FormSection>
      <FilesSection {...sections} onUploading={setUploading} />
      <MoreSection
        {...sections}
        budgetHint="What each session may cost at most, in US dollars by list price."
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

/** Whether a deployment may have tokens, which are never returned. */
function hasSecrets({ resources }: Deployment): boolean {
  return resources.some((one) => "url" in one && one.connection_id === null);
}

function TokensNote() {
  return (
    <p className="text-muted">
      The tokens are kept while no repository, file or memory store changes. If you change one, type the
      tokens of all repositories again.
    </p>
  );
}

type AgentProps = {
  form: DeploymentForm;
  change: (part: Partial<DeploymentForm>) => void;
  faultAt: FaultAt;
};

function AgentOfRuns({ form, change, faultAt }: AgentProps) {
  const { data: agents } = useQuery(agentChoices);
  const { agentId, agentVersion } = form;
  const first = useFirstChoice("agentId", agents);
  useEffect(() => {
    if (agentId === null && first !== undefined) change({ agentId: first });
  });
  const newest = agents?.find(({ id }) => id === agentId)?.version;
  const versions = [...new Set([agentVersion, newest])].filter((version) => version != null);
  return (
    <FormSection title="Agent" about="The agent that works on each run, with its model and tools.">
      {agents?.length === 0 && agentId === null ? (
        <p className="text-muted">There is no agent yet. Create one under Agents.</p>
      ) : (
        <>
          <AgentField
            agentId={agentId}
            error={faultAt("agent")}
            onChange={(id) => change({ agentId: id, agentVersion: null })}
          />
          <Field label="Version">
            {(control) => (
              <Select<string>
                {...control}
                value={`${agentVersion ?? ""}`}
                choices={[
                  { value: "", label: "The newest at each run" },
                  ...versions.map((version) => ({ value: `${version}`, label: `Always version ${version}` })),
                ]}
                onChange={(version) => change({ agentVersion: version === "" ? null : Number(version) })}
              />
            )}
          </Field>
        </>
      )}
    </FormSection>
  );
}
