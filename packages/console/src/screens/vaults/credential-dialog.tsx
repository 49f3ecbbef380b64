import type { VaultCredential } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import type { FormEvent } from "react";
import { berth } from "../../api/client.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, TextAreaField, TextField } from "../../ui/field.tsx";
import { FormActions } from "../../ui/form-actions.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { Segments } from "../../ui/form-section.tsx";
import { SecretInput } from "../../ui/secret-input.tsx";
import { toast } from "../../ui/toast.tsx";
import { useFormDraft } from "../../ui/use-form-draft.ts";
import { type FaultAt, useSave } from "../../ui/use-save.ts";
import {
  type CredentialForm,
  changeOf,
  createBodyOf,
  EMPTY_CREDENTIAL,
  formOf,
  placeOf,
  titleOf,
  withoutSecret,
} from "./credential-form.ts";
import { refreshVaults } from "./queries.ts";

type Props = {
  vaultId: string;
  /** The credential to change; absent for a new one. */
  credential?: VaultCredential;
  open: boolean;
  onClose: () => void;
};

/** Creates a credential, or changes its name, hosts or secret. */
export function CredentialDialog(props: Props) {
  const { credential, open, onClose } = props;
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={credential === undefined ? "New credential" : titleOf(credential)}
      size="medium"
    >
      {open && <Form {...props} />}
    </Dialog>
  );
}

function Form({ vaultId, credential, onClose }: Props) {
  const start = credential === undefined ? EMPTY_CREDENTIAL : formOf(credential);
  const draft = `credential ${credential?.id ?? `new ${vaultId}`}`;
  const { form: drafted, change, reset } = useFormDraft<CredentialForm>(draft, start, ["secret"]);
  const form = { ...start, ...drafted };
  const save = useSave({
    act: () => send(vaultId, credential, form),
    placeOf,
    onSaved: () => {
      reset();
      void refreshVaults();
      toast(credential === undefined ? "The credential is created" : "The credential is saved");
      onClose();
    },
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    save.save();
  }
  const fields = ["name", "url", "variable", "secret", "hosts"] as const;
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {credential === undefined && (
        <Segments
          label="Type"
          value={form.kind}
          choices={[
            { value: "environment_variable", label: "Variable" },
            { value: "static_bearer", label: "MCP server" },
          ]}
          onChange={(kind) => change({ kind })}
        />
      )}
      <TextField
        label="Name"
        aside="optional"
        error={save.faultAt("name")}
        placeholder={form.kind === "static_bearer" ? "Issue tracker" : "Registry"}
        value={form.name}
        onChange={(text) => change({ name: text })}
      />
      {form.kind === "static_bearer" ? (
        <ServerFields form={form} change={change} faultAt={save.faultAt} isNew={credential === undefined} />
      ) : (
        <VariableFields form={form} change={change} faultAt={save.faultAt} isNew={credential === undefined} />
      )}
      <FormError error={save.error} atField={fields.some((field) => save.faultAt(field) !== null)} />
      <FormActions
        verb={
          credential === undefined ? "Create credential" : form.secret === "" ? "Save" : "Save and rotate"
        }
        busy={save.busy}
        onCancel={() => {
          reset();
          onClose();
        }}
        call={callOf(vaultId, credential, form)}
      />
    </form>
  );
}

type FieldsProps = {
  form: CredentialForm;
  change: (part: Partial<CredentialForm>) => void;
  faultAt: FaultAt;
  isNew: boolean;
};

function ServerFields({ form, change, faultAt, isNew }: FieldsProps) {
  return (
    <>
      <TextField
        label="URL of the server"
        hint={isNew ? "The token is sent to MCP servers with exactly this URL." : "It cannot be changed."}
        error={faultAt("url")}
        disabled={!isNew}
        placeholder="https://mcp.example.com/v1"
        value={form.url}
        onChange={(text) => change({ url: text })}
      />
      <SecretField label="Token" form={form} change={change} fault={faultAt("secret")} isNew={isNew} />
    </>
  );
}

function VariableFields({ form, change, faultAt, isNew }: FieldsProps) {
  return (
    <>
      <TextField
        label="Variable"
        hint={
          isNew
            ? "In the sandbox it holds a placeholder. Berth puts the secret in its place on the way to the hosts below."
            : "It cannot be changed."
        }
        error={faultAt("variable")}
        disabled={!isNew}
        placeholder="NPM_TOKEN"
        value={form.variable}
        onChange={(text) => change({ variable: text })}
        controlClass="font-mono text-xs!"
      />
      <SecretField
        label="Secret"
        form={form}
        change={change}
        fault={faultAt("secret")}
        isNew={isNew}
        lines={2}
      />
      <TextAreaField
        label="Hosts that receive it"
        hint="One per line, at most 16. The environment's networking must allow them too."
        error={faultAt("hosts")}
        rows={3}
        placeholder={"registry.npmjs.org\n*.example.com"}
        value={form.hosts}
        onChange={(text) => change({ hosts: text })}
        controlClass="font-mono text-xs!"
      />
    </>
  );
}

function SecretField({
  label,
  form,
  change,
  fault,
  isNew,
  lines = 1,
}: Omit<FieldsProps, "faultAt"> & { label: string; fault: string | null; lines?: number }) {
  return (
    <Field
      label={isNew ? label : `New ${label.toLowerCase()}`}
      {...(isNew ? {} : { aside: "leave empty to keep the current one" })}
      hint={
        isNew
          ? "Nobody can read it again, not even you."
          : "Sessions use the new one from their next call on."
      }
      error={fault}
    >
      {(control) => (
        <SecretInput
          {...control}
          lines={lines}
          value={form.secret}
          onChange={(event) => change({ secret: event.target.value })}
        />
      )}
    </Field>
  );
}

function send(vaultId: string, credential: VaultCredential | undefined, form: CredentialForm) {
  const { credentials } = berth.vaults;
  return credential === undefined
    ? credentials.create(vaultId, createBodyOf(form))
    : credentials.update(vaultId, credential.id, changeOf(credential, form));
}

function callOf(vaultId: string, credential: VaultCredential | undefined, form: CredentialForm) {
  const { create, update } = operations.vaultCredentials;
  return credential === undefined
    ? { operation: create, params: { vault_id: vaultId }, body: withoutSecret(createBodyOf(form)) }
    : {
        operation: update,
        params: { vault_id: vaultId, credential_id: credential.id },
        body: withoutSecret(changeOf(credential, form)),
      };
}
