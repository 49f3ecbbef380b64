import type { IncomingMessage } from "node:http";
import { headerValues } from "../../http/headers.ts";

/**
 * Returns whether a request may come from where the browser says that it comes from. Other sites may only
 * link to a preview: its cookie goes with what other pages of the same site send, such as another preview.
 *
 * @param origin that of the preview in the browser.
 */
export function isFromOwnPage(request: IncomingMessage, origin: string): boolean {
  if (headerValues(request, "origin").some((one) => one !== origin)) return false;
  const { method, headers } = request;
  const reads = method === "GET" || method === "HEAD";
  const isLink =
    reads && headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
  const sites = headerValues(request, "sec-fetch-site");
  return sites.every((site) => site === "same-origin" || site === "none" || isLink);
}
