import { environmentRoutes, parseId } from "@berth/contract";
import type { Database } from "../../db/pool.ts";
import { errors } from "../../http/errors.ts";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { keysetPlace, pageAnswer } from "../../http/page.ts";
import { reaches } from "../../http/principal.ts";
import { createEnvironment } from "./create-environment.ts";
import { environmentAnswer, getEnvironment, listEnvironments } from "./environment-store.ts";

export function mountEnvironments(app: HttpApp, db: Database): void {
  mount(app, environmentRoutes.create, ({ principal }, { body }) =>
    createEnvironment(db.write, principal, body),
  );
  mount(app, environmentRoutes.list, async (context, input) => {
    const place = keysetPlace(context, input, "environment");
    const filters = { archived: input.query.include_archived };
    const rows = await listEnvironments(db.read, context.principal, place, filters);
    return pageAnswer(context, input, place, "environment", rows, environmentAnswer);
  });
  mount(app, environmentRoutes.get, async ({ principal }, { params }) => {
    const id = parseId("environment", params.environment_id);
    const row = id === null ? null : await getEnvironment(db.read, id);
    if (row === null) throw errors.notFound("environment", params.environment_id);
    if (!reaches(principal, row)) throw errors.notYours("environment", params.environment_id);
    return environmentAnswer(row);
  });
}
