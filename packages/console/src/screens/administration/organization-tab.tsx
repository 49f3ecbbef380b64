import type { Limits, Organization, Retention } from "@berth/sdk";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { berth } from "../../api/client.ts";
import { useMutation } from "../../api/use-mutation.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { Problem } from "../../shell/problem.tsx";
import { Button, buttonClass, Spinner } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Field, Input, TextField } from "../../ui/field.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { FormSection, Segments } from "../../ui/form-section.tsx";
import { toast } from "../../ui/toast.tsx";
import { useSave } from "../../ui/use-save.ts";
import { placeOf } from "../tokens/token-form.ts";
import { LimitsList } from "./limits-list.tsx";
import { organizationKey, refreshAdministration } from "./queries.ts";
import { daysTyped, RETENTION_WORDS, retentionBody, shortened } from "./retention.ts";
import type { TabProps } from "./tab-props.ts";

/** Shows name and default visibility, retention, limits and connections of the organization. */
export function OrganizationTab({ me }: TabProps) {
  const { id } = me.organization;
  const query = useQuery({
    queryKey: organizationKey,
    queryFn: async ({ signal }) => {
      const [organizations, retention, limits] = await Promise.all([
        berth.admin.organizations.list({}, { signal }),
        berth.admin.retention.get(id, { signal }),
        berth.admin.limits.get(id, { signal }),
      ]);
      const [organization] = organizations.data;
      if (organization === undefined) throw new Error("The organization was not found.");
      return { organization, retention, limits };
    },
  });
  if (query.data === undefined)
    return query.error === null ? (
      <Spinner className="m-6 text-faint" />
    ) : (
      <Problem error={query.error} retry={() => void query.refetch()} />
    );
  const { organization, retention, limits } = query.data;
  return (
    <div className="mx-auto max-w-4xl px-4 pb-10">
      <NameForm key={`${organization.name} ${organization.default_visibility}`} organization={organization} />
      <RetentionForm key={JSON.stringify(retention.data)} retention={retention} />
      <SigningSection organization={organization} />
      <LimitsSection limits={limits} organization={organization} />
      <FormSection title="Connections" about="Access to git hosts, for the repositories of sessions.">
        <div>
          <Link to="/connections" className={buttonClass("secondary")}>
            Manage connections
          </Link>
        </div>
      </FormSection>
    </div>
  );
}

function NameForm({ organization }: { organization: Organization }) {
  const [form, setForm] = useState({
    name: organization.name,
    default_visibility: organization.default_visibility,
  });
  const { save, busy, error, faultAt } = useSave({
    act: () => berth.admin.organizations.update(organization.id, { ...form, name: form.name.trim() }),
    placeOf,
    onSaved: async () => {
      await refreshAdministration();
      toast("The organization is saved");
    },
  });
  const isChanged =
    form.name.trim() !== organization.name || form.default_visibility !== organization.default_visibility;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save();
  };
  return (
    <form onSubmit={submit}>
      <FormSection title="Organization" about="Its name, and who sees what its members create.">
        <TextField
          label="Name"
          error={faultAt("name")}
          value={form.name}
          onChange={(name) => setForm({ ...form, name })}
        />
        <div className="flex flex-col gap-1.5">
          <span className="font-medium">Default visibility of new objects</span>
          <Segments
            label="Default visibility"
            value={form.default_visibility}
            choices={[
              { value: "private", label: "Private to their owner" },
              { value: "organization", label: "Visible to the organization" },
            ]}
            onChange={(default_visibility) => setForm({ ...form, default_visibility })}
          />
          <p className="text-xs text-faint">Existing objects do not change.</p>
        </div>
        <FormError error={error} atField={faultAt("name") !== null} />
        <div>
          <Button look="primary" type="submit" busy={busy} disabled={!isChanged}>
            Save
          </Button>
        </div>
      </FormSection>
    </form>
  );
}

function RetentionForm({ retention }: { retention: Retention }) {
  const [typed, setTyped] = useState(() => daysTyped(retention));
  const [asked, setAsked] = useState(false);
  const body = retentionBody(retention, typed);
  const lost = shortened(retention, typed);
  const act = async () => {
    await berth.admin.retention.update(retention.id, body);
    await refreshAdministration();
    toast("The retention is saved");
  };
  const saving = useMutation({ mutationFn: act });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (lost.length > 0) setAsked(true);
    else saving.mutate();
  };
  return (
    <form onSubmit={submit}>
      <FormSection title="Retention" about="Days after which old data is deleted. Leave empty to keep it.">
        <div className="grid gap-4 sm:grid-cols-3">
          {retention.data.map(({ name, from }) => (
            <Field
              key={name}
              label={RETENTION_WORDS[name].label}
              hint={`${RETENTION_WORDS[name].since}.${from === "settings" ? " Set by the operator." : ""}`}
            >
              {(control) => (
                <Input
                  {...control}
                  type="number"
                  min={1}
                  max={99_999}
                  step={1}
                  inputMode="numeric"
                  placeholder="kept"
                  value={typed[name]}
                  onChange={(event) => setTyped({ ...typed, [name]: event.target.value })}
                />
              )}
            </Field>
          ))}
        </div>
        {saving.error !== null && <ErrorBox error={saving.error} />}
        <div>
          <Button
            look="primary"
            type="submit"
            busy={saving.isPending}
            disabled={Object.keys(body).length === 0}
          >
            Save retention
          </Button>
        </div>
      </FormSection>
      <Confirm
        open={asked}
        onClose={() => setAsked(false)}
        title="Delete old data?"
        verb="Delete old data"
        danger
        act={act}
      >
        <p>Within an hour, and from then on, this is deleted for everyone in the organization:</p>
        <ul className="mt-2 list-disc pl-5 text-ink">
          {lost.map((words) => (
            <li key={words}>{words}</li>
          ))}
        </ul>
        <p className="mt-2">It can only be restored from a backup.</p>
      </Confirm>
    </form>
  );
}

/** Offers to sign the commits of sessions, and shows the public key. */
function SigningSection({ organization: { id, signing_key: key } }: { organization: Organization }) {
  const [asked, setAsked] = useState(false);
  const set = async (commit_signing: boolean) => {
    await berth.admin.organizations.update(id, { commit_signing });
    await refreshAdministration();
    toast(commit_signing ? "Commits are signed" : "Commits are no longer signed");
  };
  const begin = useMutation({ mutationFn: () => set(true) });
  return (
    <FormSection
      title="Signed commits"
      about="Signed with a key of the organization that sessions cannot read."
    >
      {key === null ? (
        <div>
          <Button busy={begin.isPending} onClick={() => begin.mutate()}>
            Sign commits
          </Button>
        </div>
      ) : (
        <>
          <p className="text-muted">
            Register this key at the git host, as a signing key of the account whose address the commits have.
          </p>
          <div className="flex items-start gap-2 rounded-md border border-line bg-sunken py-1.5 pr-1.5 pl-3">
            <code className="min-w-0 flex-1 font-mono text-xs leading-5 break-all">{showUnseen(key)}</code>
            <CopyButton text={key} label="Copy the key" />
          </div>
          <div>
            <Button onClick={() => setAsked(true)}>Stop signing…</Button>
          </div>
        </>
      )}
      {begin.error !== null && <ErrorBox error={begin.error} />}
      <Confirm
        open={asked}
        onClose={() => setAsked(false)}
        title="Stop signing commits?"
        verb="Delete the key"
        danger
        act={() => set(false)}
      >
        The key is deleted and cannot be restored. Commits that it signed stay verified while it is registered
        at the git host. To sign again, a new key is created.
      </Confirm>
    </FormSection>
  );
}

function LimitsSection({ limits, organization }: { limits: Limits; organization: Organization }) {
  return (
    <FormSection
      title="Limits"
      about="For all users together. The operator of this installation changes them."
    >
      <LimitsList limits={limits} whose={{ org: organization.name }} />
    </FormSection>
  );
}
