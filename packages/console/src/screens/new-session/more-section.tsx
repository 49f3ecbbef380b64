import { useQuery } from "@tanstack/react-query";
import { memoryStoreChoices, vaultChoices } from "../../api/queries/choices.ts";
import { Field, TextAreaField, TextField } from "../../ui/field.tsx";
import { FormSection } from "../../ui/form-section.tsx";
import { MultiChoice } from "../../ui/multi-choice.tsx";
import { Select } from "../../ui/select.tsx";
import type { Form } from "./form.ts";

type Props = { form: Form; change: (part: Partial<Form>) => void; faultAt: (field: string) => string | null };

/** Edits the optional parts of a new session: vaults, memory stores, variables, a title, a budget. */
export function MoreSection({ form, change, faultAt }: Props) {
  const { data: vaults = [] } = useQuery(vaultChoices);
  const { data: stores = [] } = useQuery(memoryStoreChoices);
  const accessOf = (id: string) => form.stores.find(({ storeId }) => storeId === id)?.access ?? "read_write";
  return (
    <FormSection title="More options" about="All of these are optional.">
      <TextField
        label="Title"
        error={faultAt("title")}
        maxLength={500}
        placeholder="The first line of the task"
        value={form.title}
        onChange={(text) => change({ title: text })}
      />
      <TextField
        label="Budget"
        hint="What the session may cost at most, in US dollars by list price. It stops before that, and continues with more."
        error={faultAt("budget")}
        inputMode="decimal"
        placeholder="No limit of its own"
        value={form.budget}
        onChange={(text) => change({ budget: text })}
      />
      <Field
        label="Vaults"
        hint="Secrets that the agent uses without reading them."
        error={faultAt("vault_ids")}
      >
        {() => (
          <MultiChoice
            label="Add a vault"
            choices={vaults.map(({ id, display_name }) => ({ value: id, label: display_name }))}
            chosen={form.vaultIds}
            onChange={(vaultIds) => change({ vaultIds })}
            empty="There are no vaults yet. Create one under Vaults."
          />
        )}
      </Field>
      <Field
        label="Memory stores"
        hint="Texts that the agent keeps from session to session."
        error={faultAt("stores")}
      >
        {() => (
          <div className="flex flex-col gap-2">
            <MultiChoice
              label="Add a memory store"
              choices={stores.map(({ id, name }) => ({ value: id, label: name }))}
              chosen={form.stores.map(({ storeId }) => storeId)}
              onChange={(ids) =>
                change({ stores: ids.map((storeId) => ({ storeId, access: accessOf(storeId) })) })
              }
              empty="There are no memory stores yet. Create one under Memory."
            />
            {form.stores.map(({ storeId, access }) => (
              <div key={storeId} className="flex items-center gap-2 text-muted">
                <span className="w-40 truncate">
                  {stores.find(({ id }) => id === storeId)?.name ?? storeId}
                </span>
                <Select
                  label="What the agent may do with it"
                  value={access}
                  choices={[
                    { value: "read_write", label: "read and write" },
                    { value: "read_only", label: "read only" },
                  ]}
                  onChange={(next) =>
                    change({
                      stores: form.stores.map((one) =>
                        one.storeId === storeId ? { ...one, access: next } : one,
                      ),
                    })
                  }
                  className="w-40!"
                />
              </div>
            ))}
          </div>
        )}
      </Field>
      <TextAreaField
        label="Environment variables"
        hint="One NAME=value per line. The agent can read them; put secrets into a vault."
        error={faultAt("environment_variables")}
        rows={2}
        controlClass="font-mono text-xs"
        value={form.variables}
        onChange={(text) => change({ variables: text })}
      />
    </FormSection>
  );
}
