import type { Connection } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { useQuery } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { berth } from "../../api/client.ts";
import { refreshConnections } from "../../api/queries/connections.ts";
import { whoamiQuery } from "../../api/queries/whoami.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, TextField } from "../../ui/field.tsx";
import { FormActions } from "../../ui/form-actions.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { SecretInput } from "../../ui/secret-input.tsx";
import { Select } from "../../ui/select.tsx";
import { toast } from "../../ui/toast.tsx";
import { useFormDraft } from "../../ui/use-form-draft.ts";
import { type FaultAt, useSave } from "../../ui/use-save.ts";
import {
  type ConnectionForm,
  createBodyOf,
  DEFAULT_URLS,
  EMPTY_CONNECTION,
  placeOf,
  SECRET_LABELS,
  TYPE_CHOICES,
  withoutSecret,
} from "./connection-form.ts";

type Props = { open: boolean; onClose: () => void; onSaved: (connection: Connection) => void };

/** Creates a connection. */
export function ConnectionDialog(props: Props) {
  return (
    <Dialog open={props.open} onClose={props.onClose} title="New connection" size="medium">
      {props.open && <NewConnection {...props} />}
    </Dialog>
  );
}

const FIELDS = [
  "name",
  "type",
  "url",
  "appId",
  "installationId",
  "username",
  "workspace",
  "api",
  "secret",
] as const;

function NewConnection({ onClose, onSaved }: Props) {
  const draft = useFormDraft<ConnectionForm>("connection new", EMPTY_CONNECTION, ["secret"]);
  const { change, reset } = draft;
  const form = draft.form ?? EMPTY_CONNECTION;
  const isAdmin = useQuery(whoamiQuery).data?.role === "admin";
  const body = createBodyOf(form);
  const { save, busy, error, faultAt } = useSave({
    act: () => berth.connections.create(body),
    placeOf,
    onSaved: (saved) => {
      reset();
      void refreshConnections();
      toast("The connection is created");
      onSaved(saved);
    },
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    save();
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <TextField
        label="Name"
        error={faultAt("name")}
        autoFocus
        placeholder="Acme on GitHub"
        value={form.name}
        onChange={(text) => change({ name: text })}
      />
      <Field label="Type" error={faultAt("type")}>
        {(control) => (
          <Select
            {...control}
            value={form.type}
            choices={TYPE_CHOICES}
            onChange={(type) => change({ type })}
          />
        )}
      </Field>
      <TextField
        label="URL of the host"
        error={faultAt("url")}
        placeholder={DEFAULT_URLS[form.type] || "https://git.example.com"}
        {...(DEFAULT_URLS[form.type] === "" ? {} : { aside: "for a self-hosted server" })}
        value={form.url}
        onChange={(text) => change({ url: text })}
      />
      <OwnFields form={form} change={change} faultAt={faultAt} />
      <Field
        label={SECRET_LABELS[form.type]}
        hint="It is stored encrypted. Nobody can read it again, not even you."
        error={faultAt("secret")}
      >
        {(control) => (
          <SecretInput
            {...control}
            lines={form.type === "github_app" ? 5 : 1}
            value={form.secret}
            onChange={(event) => change({ secret: event.target.value })}
          />
        )}
      </Field>
      {isAdmin && (
        <Field label="Who uses it">
          {(control) => (
            <Select
              {...control}
              value={form.owner}
              choices={[
                { value: "user", label: "Only me" },
                { value: "organization", label: "Everyone in the organization" },
              ]}
              onChange={(owner) => change({ owner })}
            />
          )}
        </Field>
      )}
      <FormError error={error} atField={FIELDS.some((field) => faultAt(field) !== null)} />
      <FormActions
        verb="Create connection"
        busy={busy}
        onCancel={() => {
          reset();
          onClose();
        }}
        call={{ operation: operations.connections.create, body: withoutSecret(body) }}
      />
    </form>
  );
}

type FieldsProps = {
  form: ConnectionForm;
  change: (part: Partial<ConnectionForm>) => void;
  faultAt: FaultAt;
};

/** The fields of the type alone, besides its secret. */
function OwnFields({ form, change, faultAt }: FieldsProps) {
  const text = (
    label: string,
    field: "appId" | "installationId" | "username" | "workspace",
    aside?: string,
  ) => (
    <TextField
      key={field}
      label={label}
      {...(aside === undefined ? {} : { aside })}
      error={faultAt(field)}
      value={form[field]}
      onChange={(value) => change({ [field]: value })}
    />
  );
  switch (form.type) {
    case "github_app":
      return (
        <div className="grid gap-3 sm:grid-cols-2">
          {[text("App id", "appId"), text("Installation id", "installationId")]}
        </div>
      );
    case "gitlab":
      return null;
    case "gitea":
      return text("Username", "username");
    case "bitbucket":
      return text("Workspace", "workspace");
    case "token":
      return (
        <div className="grid gap-3 sm:grid-cols-2">
          <Field label="API" error={faultAt("api")}>
            {(control) => (
              <Select
                {...control}
                value={form.api}
                choices={[
                  { value: "github", label: "GitHub" },
                  { value: "gitlab", label: "GitLab" },
                  { value: "gitea", label: "Gitea or Forgejo" },
                  { value: "bitbucket", label: "Bitbucket" },
                  { value: "", label: "None", about: "Repositories are not listed" },
                ]}
                onChange={(api) => change({ api })}
              />
            )}
          </Field>
          {text("Username", "username", "if the host needs one")}
        </div>
      );
  }
}
