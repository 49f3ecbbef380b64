import { Cookie } from "../../../http/sign-in-cookie.ts";

/** Cookie of a browser at the identity provider. `Lax`, since a link from there leads back. */
export const OIDC_COOKIE = new Cookie("console_oidc", "Lax");
