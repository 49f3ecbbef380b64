import type { HttpApp } from "../../http/http-app.ts";
import { mountOidc } from "./oidc/oidc-routes.ts";
import type { OidcSettings } from "./oidc/oidc-settings.ts";
import { BUNDLE } from "./pages/bundle.ts";
import { mountPages } from "./pages/page-routes.ts";
import { mountLinks, mountNoLinks } from "./sign-in/link-routes.ts";
import { mountSignIns } from "./sign-in/sign-in-routes.ts";

/** `off`: there is none. `plain-http`: people may sign in also where others can read it on the way. */
export type ConsoleMode = "on" | "off" | "plain-http";

export interface ConsoleOptions {
  mode: ConsoleMode;
  /** The identity provider; null: there is none. */
  oidc: OidcSettings | null;
  /** The directory of the built console. Default: where its build puts it. */
  bundle?: string | undefined;
}

/** The console: its pages, and the ways to sign in to it. */
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
