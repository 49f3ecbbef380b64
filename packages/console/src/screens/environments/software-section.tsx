import { useQuery } from "@tanstack/react-query";
import { runtimesQuery } from "../../api/queries/runtimes.ts";
import { Checkbox } from "../../ui/checkbox.tsx";
import { TextAreaField, TextField } from "../../ui/field.tsx";
import { FormSection } from "../../ui/form-section.tsx";
import type { FaultAt } from "../../ui/use-save.ts";
import { type EnvironmentForm, MANAGERS, type Manager, RUNTIMES, type RuntimeName } from "./form.ts";

type Props = {
  form: EnvironmentForm;
  change: (part: Partial<EnvironmentForm>) => void;
  faultAt: FaultAt;
};

const PLACEHOLDERS: Record<Manager, string> = {
  apt: "jq\nripgrep",
  npm: "typescript@5.4.2",
  pip: "ruff\nuvicorn[standard]",
};

/** Edits the software of the sandbox: image, packages, runtimes, scripts. */
export function SoftwareSection({ form, change, faultAt }: Props) {
  return (
    <FormSection
      title="Software"
      about="Installed once, and kept for all sessions. The log is on the environment's Setup tab."
    >
      <TextField
        label="Image"
        aside="optional"
        hint="For engines that run images. Default: that of the installation."
        error={faultAt("image")}
        placeholder="debian:bookworm"
        value={form.image}
        onChange={(text) => change({ image: text })}
        controlClass="font-mono text-xs"
      />
      <div className="grid gap-4 sm:grid-cols-3">
        {MANAGERS.map((manager) => (
          <TextAreaField
            key={manager}
            label={`${manager} packages`}
            error={faultAt(manager)}
            rows={3}
            placeholder={PLACEHOLDERS[manager]}
            value={form.packages[manager]}
            onChange={(text) => change({ packages: { ...form.packages, [manager]: text } })}
            controlClass="font-mono text-xs"
          />
        ))}
      </div>
      <Runtimes form={form} change={change} faultAt={faultAt} />
      <TextAreaField
        label="Setup script"
        aside="optional"
        hint="Runs once with /bin/sh as root, after the packages, without the secrets of a session."
        error={faultAt("setup_script")}
        rows={7}
        placeholder={"set -eu\ncurl -fsSL https://example.com/tool.tar.gz | tar -xz -C /opt"}
        value={form.setupScript}
        onChange={(text) => change({ setupScript: text })}
        controlClass="font-mono text-xs"
      />
      <TextAreaField
        label="Repository setup script"
        aside="optional"
        hint="Runs in each repository after it is cloned, as the agent’s user. Its result is kept."
        error={faultAt("repository_setup_script")}
        rows={3}
        placeholder="npm ci"
        value={form.repositoryScript}
        onChange={(text) => change({ repositoryScript: text })}
        controlClass="font-mono text-xs"
      />
      <Checkbox
        checked={form.repositoryScriptRequired}
        onChange={(repositoryScriptRequired) => change({ repositoryScriptRequired })}
      >
        If it fails, the repository counts as not cloned
      </Checkbox>
    </FormSection>
  );
}

/** Edits the versions of the runtimes that the installation can have, and of those that were chosen before. */
function Runtimes({ form, change, faultAt }: Props) {
  const { data = [] } = useQuery(runtimesQuery);
  const newest = new Map(data.map(({ id, versions }) => [id, versions.find((one) => one.default)?.version]));
  const names = Object.keys(RUNTIMES) as RuntimeName[];
  const shown = names.filter((name) => newest.get(name) !== undefined || form.runtimes[name] !== undefined);
  if (shown.length === 0 && !form.runtimesAuto) return null;
  return (
    <>
      <Checkbox checked={form.runtimesAuto} onChange={(runtimesAuto) => change({ runtimesAuto })}>
        Each session chooses its runtimes from files of its repositories, such as .nvmrc
      </Checkbox>
      {!form.runtimesAuto && (
        <div className="grid grid-cols-2 gap-4 sm:grid-cols-5">
          {shown.map((name) => (
            <TextField
              key={name}
              label={RUNTIMES[name]}
              error={faultAt(`runtimes.${name}`)}
              placeholder={newest.get(name) ?? ""}
              value={form.runtimes[name] ?? ""}
              onChange={(text) => change({ runtimes: { ...form.runtimes, [name]: text } })}
              controlClass="font-mono text-xs"
            />
          ))}
        </div>
      )}
    </>
  );
}
