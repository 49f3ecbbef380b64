import { formatCount } from "../../format/numbers.ts";
import { newKey } from "../../format/pairs.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Input, TextAreaField, TextField } from "../../ui/field.tsx";
import { FormSection } from "../../ui/form-section.tsx";
import { Select } from "../../ui/select.tsx";
import type { FaultAt } from "../../ui/use-save.ts";
import { type AgentForm, type CustomToolEntry, EMPTY_SCHEMA, TOOLS, type ToolName } from "./form.ts";
import { STATE_CHOICES } from "./permission.tsx";

type Props = { form: AgentForm; change: (part: Partial<AgentForm>) => void; faultAt: FaultAt };

/** Edits the tools of the sandbox, each with its permission, and the custom tools that a client runs. */
export function ToolsSection({ form, change, faultAt }: Props) {
  const set = (key: string, part: Partial<CustomToolEntry>) =>
    change({ customTools: form.customTools.map((one) => (one.key === key ? { ...one, ...part } : one)) });
  const setBytes = (name: ToolName, bytes: string) =>
    change({ resultBytes: { ...form.resultBytes, [name]: bytes } });
  const fault = faultAt("tools");
  return (
    <>
      <FormSection
        title="Tools"
        about="What the agent may do in its sandbox, and what a person confirms first."
      >
        <ul className="rounded-xl border border-line">
          {TOOLS.map(({ name, about, ...tool }) => (
            <li
              key={name}
              className="flex items-center gap-3 border-b border-line px-3 py-2 last:border-b-0 max-sm:flex-wrap"
            >
              <span className="w-14 font-mono text-xs">{name}</span>
              <span className="min-w-0 flex-1 text-xs text-faint">{about}</span>
              {"usualBytes" in tool && (
                <Input
                  aria-label={`Maximum bytes of a result of ${name}`}
                  title="Maximum bytes of a result that the model sees"
                  inputMode="numeric"
                  placeholder={`${formatCount(tool.usualBytes)} bytes`}
                  value={form.resultBytes[name] ?? ""}
                  onChange={(event) => setBytes(name, event.target.value.replaceAll(/\D/g, ""))}
                  className="h-7! w-28! text-xs"
                />
              )}
              <Select
                label={`Calls of ${name}`}
                value={form.tools[name]}
                choices={STATE_CHOICES}
                onChange={(state) => change({ tools: { ...form.tools, [name]: state } })}
                className="h-7! w-36!"
              />
            </li>
          ))}
        </ul>
        {fault !== null && <p className="text-xs text-bad">{fault}</p>}
      </FormSection>
      <FormSection
        title="Client tools"
        about="The session waits until your program, or a person here, gives the result."
      >
        {form.customTools.map((tool) => (
          <CustomTool
            key={tool.key}
            tool={tool}
            faultAt={(field) => faultAt(`${tool.key} ${field}`)}
            onChange={(part) => set(tool.key, part)}
            onRemove={() => change({ customTools: form.customTools.filter(({ key }) => key !== tool.key) })}
          />
        ))}
        <Button
          icon="plus"
          className="self-start"
          onClick={() =>
            change({
              customTools: [
                ...form.customTools,
                { key: newKey(), name: "", description: "", schema: EMPTY_SCHEMA },
              ],
            })
          }
        >
          Add tool
        </Button>
      </FormSection>
    </>
  );
}

type ToolProps = {
  tool: CustomToolEntry;
  faultAt: FaultAt;
  onChange: (part: Partial<CustomToolEntry>) => void;
  onRemove: () => void;
};

function CustomTool({ tool, faultAt, onChange, onRemove }: ToolProps) {
  return (
    <div className="flex flex-col gap-3 rounded-xl border border-line bg-panel p-4">
      <div className="flex items-start gap-2">
        <TextField
          label="Name"
          className="flex-1"
          error={faultAt("name")}
          maxLength={64}
          placeholder="ask_owner"
          value={tool.name}
          onChange={(text) => onChange({ name: text })}
          controlClass="font-mono text-xs"
        />
        <IconButton icon="trash" label="Remove this tool" onClick={onRemove} className="mt-7" />
      </div>
      <TextAreaField
        label="Description"
        hint="When the model should call it."
        error={faultAt("description")}
        rows={2}
        value={tool.description}
        onChange={(text) => onChange({ description: text })}
      />
      <TextAreaField
        label="Input"
        hint="A JSON Schema of an object."
        error={faultAt("input_schema")}
        rows={8}
        value={tool.schema}
        onChange={(text) => onChange({ schema: text })}
        controlClass="font-mono text-xs"
      />
    </div>
  );
}
