import type { Rates } from "@berth/store/limits";
import type { HttpApp } from "../http/http-app.ts";
import type { AdministeredSettings } from "./administrator.ts";
import { adminMount } from "./by-request.ts";
import { mountInstallation } from "./installation-routes.ts";
import { mountMembers } from "./member-routes.ts";

interface Deps {
  settings: AdministeredSettings;
  /** Rate counter for tries of user codes. */
  attempts: Rates;
}

/** Mounts the operations under `/api/v1/admin`, which accept operator tokens. */
export function mountAdministration(app: HttpApp, { settings, attempts }: Deps): void {
  const mount = adminMount(app, settings);
  mountMembers(mount);
  mountInstallation(mount, attempts);
}
