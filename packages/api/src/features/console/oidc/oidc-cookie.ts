import { Cookie } from "../../../http/sign-in-cookie.ts";

/** Of a browser that was sent to the identity provider, whose link leads back here. */
export const OIDC_COOKIE = new Cookie("console_oidc", "Lax");
