import type { Deployment } from "@berth/sdk";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { berth } from "../../api/client.ts";
import { deploymentQuery, refreshDeployments } from "../../api/queries/deployments.ts";
import { queryClient } from "../../api/query-client.ts";
import { Loaded } from "../../shell/loaded.tsx";
import { ObjectHeading } from "../../shell/object-page.tsx";
import { Page } from "../../shell/page.tsx";
import { toast } from "../../ui/toast.tsx";
import { useFormDraft } from "../../ui/use-form-draft.ts";
import { DeploymentEditor } from "./deployment-editor.tsx";
import { changeOf, type DeploymentForm, formOf } from "./form.ts";
import { localZone } from "./local-zone.ts";

const route = getRouteApi("/deployments/$deploymentId/edit");

/** Edits a deployment. */
export function EditDeploymentScreen() {
  const { deploymentId } = route.useParams();
  const query = useQuery(deploymentQuery(deploymentId));
  return (
    <Loaded query={query} title="Edit deployment">
      {(deployment) => <EditDeployment key={deploymentId} deployment={deployment} />}
    </Loaded>
  );
}

function EditDeployment({ deployment }: { deployment: Deployment }) {
  const navigate = useNavigate();
  const { id, name } = deployment;
  const [start] = useState(() => formOf(deployment, localZone()));
  const draft = useFormDraft<DeploymentForm>(`deployment ${id}`, start, ["secret"]);
  if (draft.form === null) return null;
  return (
    <Page
      title={`Edit ${name}`}
      heading={<ObjectHeading list={{ name: "Deployments", to: "/deployments" }} name={name} />}
    >
      <DeploymentEditor
        changes={id}
        form={draft.form}
        change={draft.change}
        discard={draft.changed ? draft.reset : undefined}
        verb="Save"
        bodyOf={(form) => changeOf(deployment, form)}
        send={(form) => berth.deployments.update(id, changeOf(deployment, form))}
        onSaved={async (saved) => {
          draft.reset();
          queryClient.setQueryData(deploymentQuery(id).queryKey, saved);
          await refreshDeployments();
          toast("The deployment is saved");
          await navigate({ to: "/deployments/$deploymentId", params: { deploymentId: id } });
        }}
      />
    </Page>
  );
}
