import { Checkbox } from "../../ui/checkbox.tsx";
import { Field, TextAreaField } from "../../ui/field.tsx";
import { FormSection, Segments } from "../../ui/form-section.tsx";
import type { FaultAt } from "../../ui/use-save.ts";
import type { EnvironmentForm } from "./form.ts";

type Props = {
  form: EnvironmentForm;
  change: (part: Partial<EnvironmentForm>) => void;
  faultAt: FaultAt;
};

/** Edits the networking of an environment. */
export function NetworkingSection({ form, change, faultAt }: Props) {
  const fault = faultAt("networking");
  return (
    <FormSection
      title="Networking"
      about="A connection that is not allowed is blocked, and the session shows it."
    >
      <Segments
        label="Networking"
        value={form.networking}
        choices={[
          { value: "limited", label: "Only named hosts" },
          { value: "unrestricted", label: "Every public host" },
        ]}
        onChange={(networking) => change({ networking })}
      />
      {form.networking === "limited" && (
        <>
          <TextAreaField
            label="Hosts"
            aside="one per line"
            hint="In addition to the hosts of the session’s repositories. A name covers ports 80 and 443."
            error={fault}
            rows={4}
            placeholder={"api.example.com\n*.example.com\ngit.example.com:8443"}
            value={form.hosts}
            onChange={(text) => change({ hosts: text })}
            controlClass="font-mono text-xs"
          />
          <Checkbox
            checked={form.packageManagers}
            onChange={(packageManagers) => change({ packageManagers })}
          >
            The public registries of apt, npm, pip, cargo, go, gem and maven
          </Checkbox>
          <Checkbox checked={form.mcpServers} onChange={(mcpServers) => change({ mcpServers })}>
            The agent’s MCP servers
          </Checkbox>
        </>
      )}
      <Field label="Credentials of repositories" error={faultAt("credentials")}>
        {() => (
          <Segments
            label="Credentials of repositories"
            value={form.credentials}
            choices={[
              { value: "inject", label: "In the sandbox" },
              { value: "proxy", label: "Kept out of the sandbox" },
            ]}
            onChange={(credentials) => change({ credentials })}
          />
        )}
      </Field>
      <p className="-mt-2.5 text-xs text-faint">
        {form.credentials === "inject"
          ? "git and the provider’s command line read the tokens from variables; commands can read them too."
          : "Commands see placeholders only. Berth adds the tokens to requests on their way to the repository’s host."}
      </p>
    </FormSection>
  );
}
