import { environmentRoutes } from "@berth/contract";
import { errors } from "../../http/errors.ts";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { keysetPlace, pageAnswer } from "../../http/page.ts";
import { createEnvironment } from "./create-environment.ts";
import {
  archiveEnvironment,
  deleteEnvironment,
  environmentAnswer,
  listEnvironments,
} from "./environment-store.ts";
import { reachAndLockEnvironment, reachEnvironment } from "./reach-environment.ts";
import { updateEnvironment } from "./update-environment.ts";

/** @param options.runsImages Whether the installation's engine runs images. */
export function mountEnvironments(app: HttpApp, { runsImages }: { runsImages: boolean }): void {
  mount(app, environmentRoutes.create, ({ principal, db }, { body }) =>
    createEnvironment(db.write, principal, body, runsImages),
  );
  mount(app, environmentRoutes.list, async (context, input) => {
    const place = keysetPlace(context, input, "environment");
    const filters = { archived: input.query.include_archived };
    const rows = await listEnvironments(context.db.read, context.principal, place, filters);
    return pageAnswer(context, input, place, "environment", rows, environmentAnswer);
  });
  mount(app, environmentRoutes.get, async ({ principal, db }, { params }) => {
    return environmentAnswer(await reachEnvironment(db.read, principal, params.environment_id));
  });
  mount(app, environmentRoutes.update, async ({ principal, db }, { params, body }) =>
    environmentAnswer(await updateEnvironment(db, principal, params.environment_id, body, runsImages)),
  );
  mount(app, environmentRoutes.delete, async ({ principal, db }, { params }) => {
    await db.transaction(async (tx) => {
      const { id } = await reachAndLockEnvironment(tx, principal, params.environment_id);
      if (await deleteEnvironment(tx, id)) return;
      throw errors.inUse("environment", params.environment_id, "sessions that are not terminated");
    });
    return { id: params.environment_id, type: "environment_deleted" as const };
  });
  mount(app, environmentRoutes.archive, async ({ principal, db }, { params }) => {
    const { id } = await reachEnvironment(db.read, principal, params.environment_id);
    await archiveEnvironment(db.write, id);
    return environmentAnswer(await reachEnvironment(db.read, principal, params.environment_id));
  });
}
