import type { Rates } from "@berth/store/limits";
import type { HttpApp } from "../http/http-app.ts";
import type { AdministeredSettings } from "./administrator.ts";
import { adminMount } from "./by-request.ts";
import { mountInstallation } from "./installation-routes.ts";
import { mountMembers } from "./member-routes.ts";

interface Deps {
  settings: AdministeredSettings;
  /** What counts tries of user codes. */
  attempts: Rates;
}

/** The operations under `/api/v1/admin`, for operator tokens. */
export function mountAdministration(app: HttpApp, { settings, attempts }: Deps): void {
  const mount = adminMount(app, settings);
  mountMembers(mount);
  mountInstallation(mount, attempts);
}
