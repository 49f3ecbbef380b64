import { useQuery } from "@tanstack/react-query";
import { modelsQuery } from "../../api/queries/models.ts";
import { formatCount, formatShort } from "../../format/numbers.ts";
import { Field, TextField } from "../../ui/field.tsx";
import { FormSection } from "../../ui/form-section.tsx";
import { Select } from "../../ui/select.tsx";
import type { FaultAt } from "../../ui/use-save.ts";
import type { AgentForm, Effort } from "./form.ts";

type Props = { form: AgentForm; change: (part: Partial<AgentForm>) => void; faultAt: FaultAt };

const EFFORTS: readonly { value: Effort | "usual"; label: string }[] = [
  { value: "usual", label: "Default" },
  { value: "low", label: "Low" },
  { value: "medium", label: "Medium" },
  { value: "high", label: "High" },
  { value: "xhigh", label: "Very high" },
  { value: "max", label: "Highest" },
];

/** Offers the choice of a model and its options. */
export function ModelSection({ form, change, faultAt }: Props) {
  const { data: models = [] } = useQuery(modelsQuery);
  const choices = models.map(({ id, effective_context_window: window, price }) => ({
    value: id as string | null,
    label: id,
    about: `${formatShort(window)} tokens of context${price === null ? "" : `, $${price.input} in and $${price.output} out for a million`}`,
  }));
  const isListed = form.model === null || models.some(({ id }) => id === form.model);
  const own = isListed
    ? []
    : [{ value: form.model, label: form.model, about: "Not among the service's models" }];
  const window = models.find(({ id }) => id === form.model)?.effective_context_window;
  return (
    <FormSection title="Model" about="Its provider receives everything that the agent reads.">
      <Field label="Model" error={faultAt("model")}>
        {(control) => (
          <Select
            {...control}
            value={form.model}
            choices={[...own, ...choices]}
            onChange={(model) => change({ model })}
          />
        )}
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Effort"
          hint="How much the model thinks before it answers."
          error={faultAt("model.effort")}
        >
          {(control) => (
            <Select
              {...control}
              value={form.effort}
              choices={EFFORTS}
              onChange={(effort) => change({ effort })}
            />
          )}
        </Field>
        <TextField
          label="Context window"
          aside="tokens, optional"
          hint="At most the model’s. A smaller window costs less."
          error={faultAt("model.context_window")}
          inputMode="numeric"
          placeholder={window === undefined ? "" : formatCount(window)}
          value={form.contextWindow}
          onChange={(text) => change({ contextWindow: text.replaceAll(/\D/g, "") })}
        />
      </div>
    </FormSection>
  );
}
