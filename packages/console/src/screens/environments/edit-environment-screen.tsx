import type { Environment } from "@berth/sdk";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { berth } from "../../api/client.ts";
import { environmentQuery } from "../../api/queries/environments.ts";
import { queryClient } from "../../api/query-client.ts";
import { Loaded } from "../../shell/loaded.tsx";
import { ObjectHeading } from "../../shell/object-page.tsx";
import { Page } from "../../shell/page.tsx";
import { toast } from "../../ui/toast.tsx";
import { useFormDraft } from "../../ui/use-form-draft.ts";
import { EnvironmentEditor } from "./environment-editor.tsx";
import { changeOf, type EnvironmentForm, formOf } from "./form.ts";

const route = getRouteApi("/environments/$environmentId/edit");

/** Edits an environment. */
export function EditEnvironmentScreen() {
  const { environmentId } = route.useParams();
  const query = useQuery(environmentQuery(environmentId));
  return (
    <Loaded query={query} title="Edit environment">
      {(environment) => <EditEnvironment key={environmentId} environment={environment} />}
    </Loaded>
  );
}

function EditEnvironment({ environment }: { environment: Environment }) {
  const navigate = useNavigate();
  const { id, name } = environment;
  const draft = useFormDraft<EnvironmentForm>(`environment ${id}`, formOf(environment));
  if (draft.form === null) return null;
  return (
    <Page
      title={`Edit ${name}`}
      heading={<ObjectHeading list={{ name: "Environments", to: "/environments" }} name={name} />}
    >
      <EnvironmentEditor
        form={draft.form}
        change={draft.change}
        discard={draft.changed ? draft.reset : undefined}
        verb="Save"
        changes={id}
        bodyOf={(form) => changeOf(environment, form)}
        send={(form) => berth.environments.update(id, changeOf(environment, form))}
        onSaved={async (saved) => {
          draft.reset();
          queryClient.setQueryData(environmentQuery(id).queryKey, saved);
          void queryClient.invalidateQueries({ queryKey: ["environments"] });
          toast(
            "The environment is saved",
            "Networking applies from the next turn of each session, everything else when its sandbox opens.",
          );
          await navigate({ to: "/environments/$environmentId", params: { environmentId: id } });
        }}
      />
    </Page>
  );
}
