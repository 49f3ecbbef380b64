import type { HttpApp } from "../../http/http-app.ts";
import { mountOidc } from "./oidc/oidc-routes.ts";
import type { OidcSettings } from "./oidc/oidc-settings.ts";
import { BUNDLE } from "./pages/bundle.ts";
import { mountPages } from "./pages/page-routes.ts";
import { mountLinks, mountNoLinks } from "./sign-in/link-routes.ts";
import { mountSignIns } from "./sign-in/sign-in-routes.ts";

/** `off` serves no console. `plain-http` allows signing in over a connection that others can read. */
export type ConsoleMode = "on" | "off" | "plain-http";

export interface ConsoleOptions {
  mode: ConsoleMode;
  /** Identity provider; null when there is none. */
  oidc: OidcSettings | null;
  /** Directory of the built console. Default: the output directory of its build. */
  bundle?: string | undefined;
}

/** Mounts the console: its pages, and the ways to sign in. */
export function mountConsole(app: HttpApp, { mode, oidc, bundle = BUNDLE }: ConsoleOptions): void {
  if (mode === "off") {
    mountNoLinks(app);
    return;
  }
  const allowsPlainHttp = mode === "plain-http";
  mountLinks(app);
  mountSignIns(app, { hasOidc: oidc !== null, allowsPlainHttp });
  if (oidc !== null) mountOidc(app, oidc, { allowsPlainHttp });
  mountPages(app, bundle);
}
