import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { memoryStoreChoices, vaultChoices } from "../../api/queries/choices.ts";
import { Field, TextAreaField, TextField } from "../../ui/field.tsx";
import { FormSection } from "../../ui/form-section.tsx";
import { MultiChoice } from "../../ui/multi-choice.tsx";
import { Select } from "../../ui/select.tsx";
import type { Form, StoreEntry } from "./form.ts";

type Part = Pick<Form, "budget" | "vaultIds" | "stores" | "variables">;
type Props = {
  form: Part;
  change: (part: Partial<Part>) => void;
  faultAt: (field: string) => string | null;
  budgetHint: string;
  /** Fields that come first. */
  children?: ReactNode;
};

/** Edits the optional parts of a session: vaults, memory stores, variables, a budget. */
export function MoreSection({ form, change, faultAt, budgetHint, children }: Props) {
  const { data: vaults = [] } = useQuery(vaultChoices);
  const { data: stores = [] } = useQuery(memoryStoreChoices);
  const storeOf = (id: string): StoreEntry =>
    form.stores.find(({ storeId }) => storeId === id) ?? { storeId: id, access: "read_write" };
  return (
    <FormSection title="More options" about="All of these are optional.">
      {children}
      <TextField
        label="Budget"
        hint={budgetHint}
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
              onChange={(ids) => change({ stores: ids.map(storeOf) })}
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
