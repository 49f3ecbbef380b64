import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { berth } from "../../api/client.ts";
import { environmentQuery } from "../../api/queries/environments.ts";
import { queryClient } from "../../api/query-client.ts";
import { Page } from "../../shell/page.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { useFormDraft } from "../../ui/use-form-draft.ts";
import { EnvironmentEditor } from "./environment-editor.tsx";
import { bodyOf, EMPTY_FORM, type EnvironmentForm, formOf } from "./form.ts";

const route = getRouteApi("/environments/new");

/** Shows the form of a new environment, with defaults or copied from another one. */
export function NewEnvironmentScreen() {
  const { like } = route.useSearch();
  return <NewEnvironment key={like ?? ""} like={like} />;
}

function NewEnvironment({ like }: { like: string | undefined }) {
  const navigate = useNavigate();
  const model = useQuery({ ...environmentQuery(like ?? ""), enabled: like !== undefined });
  const draft = useFormDraft<EnvironmentForm>(
    `new environment ${like ?? ""}`,
    like === undefined
      ? EMPTY_FORM
      : model.data && { ...formOf(model.data), name: `${model.data.name} copy` },
  );
  return (
    <Page title="New environment">
      {model.error !== null && <ErrorBox error={model.error} className="m-6" />}
      {draft.form !== null && (
        <EnvironmentEditor
          isNew
          form={draft.form}
          change={draft.change}
          discard={draft.changed ? draft.reset : undefined}
          verb="Create environment"
          send={(form) => berth.environments.create(bodyOf(form))}
          onSaved={async (environment) => {
            draft.reset();
            void queryClient.invalidateQueries({ queryKey: ["environments"] });
            await navigate({
              to: "/environments/$environmentId",
              params: { environmentId: environment.id },
            });
          }}
        />
      )}
    </Page>
  );
}
