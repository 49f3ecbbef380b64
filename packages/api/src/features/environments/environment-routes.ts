import { environmentRoutes } from "@berth/contract";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { listPage } from "../../request/page.ts";
import { createEnvironment } from "./create-environment.ts";
import { deleteEnvironment } from "./delete-environment.ts";
import {
  archiveEnvironment,
  listEnvironments,
  requireEnvironment,
  toEnvironment,
} from "./environment-store.ts";
import type { EnvironmentRules } from "./require-allowed.ts";
import { updateEnvironment } from "./update-environment.ts";

/** @param rules of the installation. */
export function mountEnvironments(app: HttpApp, rules: EnvironmentRules): void {
  mount(app, environmentRoutes.create, async ({ principal, db }, { body }) =>
    toEnvironment(await createEnvironment(db.write, principal, body, rules)),
  );
  mount(app, environmentRoutes.list, (request, input) =>
    listPage(request, input, "environment", toEnvironment, (range) =>
      listEnvironments(request.db.read, request.principal, range, input.query),
    ),
  );
  mount(app, environmentRoutes.get, async ({ principal, db }, { params }) =>
    toEnvironment(await requireEnvironment(db.read, principal, params.environment_id)),
  );
  mount(app, environmentRoutes.update, async ({ principal, db }, { params, body }) =>
    toEnvironment(await updateEnvironment(db, principal, params.environment_id, body, rules)),
  );
  mount(app, environmentRoutes.delete, async ({ principal, db }, { params }) => {
    await deleteEnvironment(db, principal, params.environment_id);
    return { id: params.environment_id, type: "environment_deleted" as const };
  });
  mount(app, environmentRoutes.archive, async ({ principal, db }, { params }) => {
    const { id } = await requireEnvironment(db.read, principal, params.environment_id);
    await archiveEnvironment(db.write, id);
    return toEnvironment(await requireEnvironment(db.read, principal, params.environment_id));
  });
}
