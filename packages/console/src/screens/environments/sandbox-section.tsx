import { Field, TextField } from "../../ui/field.tsx";
import { FormSection, Segments } from "../../ui/form-section.tsx";
import type { FaultAt } from "../../ui/use-save.ts";
import type { EnvironmentForm } from "./form.ts";

type Props = {
  form: EnvironmentForm;
  change: (part: Partial<EnvironmentForm>) => void;
  faultAt: FaultAt;
};

/** Edits the lifetime of a session's disk, and the runtime of its sandbox. */
export function SandboxSection({ form, change, faultAt }: Props) {
  return (
    <FormSection
      title="Sandbox"
      about="The sandbox closes soon after a session's last command, and opens again for the next one."
    >
      <Field label="Workspace" error={faultAt("workspace")}>
        {() => (
          <Segments
            label="Workspace"
            value={form.workspace}
            choices={[
              { value: "persistent", label: "Kept for the next turn" },
              { value: "ephemeral", label: "Deleted with the sandbox" },
            ]}
            onChange={(workspace) => change({ workspace })}
          />
        )}
      </Field>
      <p className="-mt-2.5 text-xs text-faint">
        {form.workspace === "persistent"
          ? "A session that is idle for a day loses its disk. The operator can set another time."
          : "Outputs are saved as files first. Repositories are cloned again, and what was not pushed is lost."}
      </p>
      <TextField
        label="Keep open for processes"
        aside="seconds"
        hint="How long the sandbox stays open after its last command while a command has left processes running, such as a server. Default: not longer than without such processes."
        error={faultAt("keep_alive_seconds")}
        placeholder="0"
        value={form.keepAlive}
        onChange={(text) => change({ keepAlive: text })}
        controlClass="font-mono text-xs"
      />
      <TextField
        label="Runtime class"
        aside="optional"
        hint="For sandboxes in pods: a runtime class that the operator allows. Default: that of the installation."
        error={faultAt("runtime_class")}
        placeholder="gvisor"
        value={form.runtimeClass}
        onChange={(text) => change({ runtimeClass: text })}
        controlClass="font-mono text-xs"
      />
    </FormSection>
  );
}
