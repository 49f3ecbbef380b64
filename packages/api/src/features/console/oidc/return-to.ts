import { errors } from "@berth/store/errors";

const HOME = "/console/";

/**
 * Where in the console a browser is sent after it has signed in. It is never sent elsewhere, whatever the text looks like to a browser.
 *
 * @param text a path with query and fragment. Default: the start of the console.
 * @throws errors.invalid
 */
export function returnTo(text: string = HOME): string {
  const url = text.length <= 2_048 && /^\/console(\/[\x21-\x7e]*)?$/.test(text) ? resolved(text) : null;
  if (url === null) throw errors.invalid("Field 'return_to' must be a path below /console/.", "return_to");
  return url.pathname + url.search + url.hash;
}

/** As a browser reads it; null when it leads out of the pages of the console. */
function resolved(text: string): URL | null {
  const base = "http://service.invalid";
  const url = text.includes("\\") ? null : URL.parse(text === "/console" ? HOME : text, base);
  const isPage = url?.origin === base && /^\/console\/(?!auth(\/|$))(?!\/)/.test(url.pathname);
  return isPage ? url : null;
}
