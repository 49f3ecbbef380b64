import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { berth } from "../../api/client.ts";
import { deploymentQuery, refreshDeployments } from "../../api/queries/deployments.ts";
import { Page } from "../../shell/page.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { toast } from "../../ui/toast.tsx";
import { useFormDraft } from "../../ui/use-form-draft.ts";
import { DeploymentEditor } from "./deployment-editor.tsx";
import { bodyOf, type DeploymentForm, emptyForm, formOf } from "./form.ts";
import { localZone } from "./local-zone.ts";

const route = getRouteApi("/deployments/new");

/** Shows the form of a new deployment, with defaults or copied from another one. */
export function NewDeploymentScreen() {
  const { like } = route.useSearch();
  return <NewDeployment key={like ?? ""} like={like} />;
}

function NewDeployment({ like }: { like: string | undefined }) {
  const navigate = useNavigate();
  const model = useQuery({ ...deploymentQuery(like ?? ""), enabled: like !== undefined });
  const start = useMemo(() => {
    if (like === undefined) return emptyForm(localZone());
    return model.data && { ...formOf(model.data, localZone()), base: null, name: `${model.data.name} copy` };
  }, [like, model.data]);
  const draft = useFormDraft<DeploymentForm>(`new deployment ${like ?? ""}`, start, ["secret"]);
  return (
    <Page title="New deployment">
      {model.error !== null && <ErrorBox error={model.error} className="m-6" />}
      {draft.form !== null && (
        <DeploymentEditor
          changes={null}
          form={draft.form}
          change={draft.change}
          discard={draft.changed ? draft.reset : undefined}
          verb="Create deployment"
          bodyOf={bodyOf}
          send={(form) => berth.deployments.create(bodyOf(form))}
          onSaved={async ({ id }) => {
            draft.reset();
            await refreshDeployments();
            toast("The deployment is created");
            await navigate({ to: "/deployments/$deploymentId", params: { deploymentId: id } });
          }}
        />
      )}
    </Page>
  );
}
