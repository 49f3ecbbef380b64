import { randomBytes } from "node:crypto";
import { type ConsoleLink, consoleLinkRoutes } from "@berth/contract";
import { tokenHash } from "@berth/store/access";
import { errors } from "@berth/store/errors";
import type { HttpApp } from "../../../http/http-app.ts";
import { mount } from "../../../http/mount.ts";
import type { RequestScope } from "../../../request/request-scope.ts";
import { insertLink } from "./link-store.ts";

/** Mounts links with which the holder of a token signs in to the console, in this browser or another. */
export function mountLinks(app: HttpApp): void {
  mount(app, consoleLinkRoutes.create, createLink);
}

/** @throws errors.linksByTokens, errors.unknownHost */
async function createLink({ principal, db, address, header }: RequestScope): Promise<ConsoleLink> {
  if (principal.signedInBy !== null) throw errors.linksByTokens();
  const base = address();
  if (base === null) throw errors.unknownHost(header("host") ?? "");
  const code = randomBytes(32).toString("base64url");
  const expiresAt = await insertLink(db.write, tokenHash(code), principal.tokenId);
  return {
    type: "console_link",
    // Browsers do not send the fragment, so the code appears in no log.
    url: `${base}/console/sign-in#code=${code}`,
    expires_at: expiresAt.toISOString(),
  };
}

/** Mounts the route for an installation without a console, which always fails. */
export function mountNoLinks(app: HttpApp): void {
  mount(app, consoleLinkRoutes.create, async () => {
    throw errors.consoleOff();
  });
}
