import { errors } from "@berth/store/errors";

const HOME = "/console/";

/**
 * Returns the path in the console to which a browser is sent after signing in. It never leads to another
 * site, however a browser reads the text.
 *
 * @param text path with query and fragment. Default: the start page of the console.
 * @throws errors.invalid
 */
export function returnTo(text: string = HOME): string {
  const url = text.length <= 2_048 && /^\/console(\/[\x21-\x7e]*)?$/.test(text) ? resolved(text) : null;
  if (url === null) throw errors.invalid("Field 'return_to' must be a path below /console/.", "return_to");
  return url.pathname + url.search + url.hash;
}

/** Resolves the path as a browser does. Returns null when it leads out of the console's pages. */
function resolved(text: string): URL | null {
  const base = "http://service.invalid";
  const url = text.includes("\\") ? null : URL.parse(text === "/console" ? HOME : text, base);
  const isPage = url?.origin === base && /^\/console\/(?!auth(\/|$))(?!\/)/.test(url.pathname);
  return isPage ? url : null;
}
