import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { berth } from "../../api/client.ts";
import { environmentChoices, useFirstChoice } from "../../api/queries/choices.ts";
import { queryClient } from "../../api/query-client.ts";
import { useMutation } from "../../api/use-mutation.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Field } from "../../ui/field.tsx";
import { FormSection } from "../../ui/form-section.tsx";
import { Select } from "../../ui/select.tsx";
import type { Form } from "./form.ts";

type Part = Pick<Form, "environmentId">;
type Props = { form: Part; change: (part: Partial<Part>) => void; faultAt: (field: string) => string | null };

/** Offers the choice of a new session's environment, each with its networking and limits. */
export function EnvironmentSection({ form, change, faultAt }: Props) {
  const { data: environments } = useQuery(environmentChoices);
  const first = useFirstChoice("environmentId", environments);
  useEffect(() => {
    if (form.environmentId === null && first !== undefined) change({ environmentId: first });
  });
  const create = useMutation({
    mutationFn: () => berth.environments.create({ name: "default" }),
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries({ queryKey: ["environments"] });
      change({ environmentId: id });
    },
  });
  const choices = (environments ?? []).map(({ id, name, config, resources }) => ({
    value: id,
    label: name,
    about: `${networkingWords(config.networking)}, ${resources.cpus} CPUs, ${resources.memory_mb} MiB`,
  }));
  const unknown =
    form.environmentId !== null && !choices.some(({ value }) => value === form.environmentId)
      ? [{ value: form.environmentId, label: form.environmentId }]
      : [];
  return (
    <FormSection title="Environment" about="The sandbox: its network, its software and its limits.">
      {environments?.length === 0 && unknown.length === 0 ? (
        <div className="flex flex-col items-start gap-2">
          <p className="text-muted">
            There is no environment yet. The default one reaches only the hosts of the session's repositories.
          </p>
          <Button icon="plus" busy={create.isPending} onClick={() => create.mutate()}>
            Create “default”
          </Button>
          {create.isError && <ErrorBox error={create.error} />}
        </div>
      ) : (
        <Field label="Environment" error={faultAt("environment_id")}>
          {(control) => (
            <Select
              {...control}
              value={form.environmentId}
              choices={[...unknown, ...choices]}
              onChange={(environmentId) => change({ environmentId })}
            />
          )}
        </Field>
      )}
    </FormSection>
  );
}

function networkingWords(networking: {
  type: string;
  allowed_hosts?: string[];
  allow_package_managers?: boolean;
}): string {
  if (networking.type === "unrestricted") return "every public host";
  const count = networking.allowed_hosts?.length ?? 0;
  const parts = [
    count > 0 && `${count} hosts`,
    networking.allow_package_managers && "package registries",
  ].filter(Boolean);
  return parts.length === 0 ? "only its repositories' hosts" : parts.join(" and ");
}
