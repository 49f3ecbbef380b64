import { TextField } from "../../ui/field.tsx";
import { FormSection } from "../../ui/form-section.tsx";
import type { FaultAt } from "../../ui/use-save.ts";
import type { EnvironmentForm, Limit } from "./form.ts";

type Props = {
  form: EnvironmentForm;
  change: (part: Partial<EnvironmentForm>) => void;
  faultAt: FaultAt;
};

const FIELDS: readonly { limit: Limit; label: string; aside: string; usual: string }[] = [
  { limit: "cpus", label: "CPUs", aside: "cores", usual: "2" },
  { limit: "memory_mb", label: "Memory", aside: "MiB", usual: "4096" },
  { limit: "pids", label: "Processes", aside: "with threads", usual: "4096" },
  { limit: "disk_mb", label: "Disk", aside: "MiB", usual: "the operator's setting" },
];

/** Edits the resource limits of each sandbox. */
export function LimitsSection({ form, change, faultAt }: Props) {
  return (
    <FormSection title="Limits" about="For each session’s sandbox. An empty field has the default.">
      <div className="grid gap-4 sm:grid-cols-2">
        {FIELDS.map(({ limit, label, aside, usual }) => (
          <TextField
            key={limit}
            label={label}
            aside={aside}
            error={faultAt(limit)}
            inputMode={limit === "cpus" ? "decimal" : "numeric"}
            placeholder={usual}
            value={form.limits[limit]}
            onChange={(text) => change({ limits: { ...form.limits, [limit]: text } })}
          />
        ))}
      </div>
      {faultAt("resources") !== null && <p className="text-xs text-bad">{faultAt("resources")}</p>}
    </FormSection>
  );
}
