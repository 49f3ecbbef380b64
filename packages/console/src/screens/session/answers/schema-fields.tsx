import { showUnseen } from "../../../format/visible-text.ts";
import { Field, Input, Textarea } from "../../../ui/field.tsx";
import { Select } from "../../../ui/select.tsx";
import { type FormEntries, type FormField, ownText } from "./schema-form.ts";

type Props = {
  fields: readonly FormField[];
  entries: FormEntries;
  errors: Record<string, string>;
  /** Called with the entry that was typed. */
  onChange: (entry: Record<string, string>) => void;
};

export function SchemaFields({ fields, entries, errors, onChange }: Props) {
  return fields.map((field) => (
    <Field
      key={field.name}
      label={showUnseen(field.label)}
      aside={field.required ? undefined : "optional"}
      hint={field.about === null ? undefined : showUnseen(field.about)}
      error={ownText(errors, field.name)}
    >
      {(control) => (
        <SchemaField
          {...control}
          field={field}
          value={ownText(entries, field.name) ?? ""}
          onChange={(value) => onChange({ [field.name]: value })}
        />
      )}
    </Field>
  ));
}

type FieldProps = {
  field: FormField;
  value: string;
  onChange: (value: string) => void;
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
};

function SchemaField({ field, value, onChange, ...control }: FieldProps) {
  switch (field.kind) {
    case "choice":
    case "boolean": {
      const choices = field.kind === "boolean" ? ["true", "false"] : field.choices.map(({ text }) => text);
      return (
        <Select
          {...control}
          value={value}
          choices={[
            { value: "", label: "Choose…" },
            ...choices.map((text) => ({ value: text, label: showUnseen(text) })),
          ]}
          onChange={onChange}
        />
      );
    }
    case "number":
    case "integer":
      return (
        <Input
          {...control}
          inputMode="decimal"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case "list":
    case "json":
      return (
        <Textarea
          {...control}
          rows={3}
          placeholder={field.kind === "list" ? "One per line" : "JSON"}
          className={field.kind === "list" ? "" : "font-mono text-xs"}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case "text":
      return (field.maxLength ?? 200) > 100 ? (
        <Textarea {...control} rows={2} value={value} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <Input {...control} value={value} onChange={(event) => onChange(event.target.value)} />
      );
  }
}
