import type { IncomingMessage } from "node:http";
import { acceptBody } from "../../http/expected-body.ts";
import { isFromOwnPage } from "./check-same-origin.ts";
import { enterPage, FOREIGN, messagePage, type OwnResponse, plainText } from "./preview-pages.ts";

interface Entrance {
  /** Origin of the preview in the browser. */
  origin: string;
  /** Name of the cookie. */
  cookie: string;
  /** Whether the origin is https. */
  isSecure: boolean;
  isToken(token: string): boolean;
  /** Milliseconds until the preview expires. */
  leftMs: number;
}

const MAX_TOKEN_BYTES = 256;

/** Serves the page that opens a preview, and exchanges its token for a cookie of the preview's origin. */
export async function enter(request: IncomingMessage, entrance: Entrance): Promise<OwnResponse> {
  if (request.method === "GET" || request.method === "HEAD") return enterPage();
  if (request.method !== "POST") return messagePage(request, 405, "Only GET and POST are possible here.", "");
  if (request.headers.origin === undefined || !isFromOwnPage(request, entrance.origin))
    return messagePage(request, ...FOREIGN);
  acceptBody(request, MAX_TOKEN_BYTES);
  const token = await readToken(request);
  if (!entrance.isToken(token))
    return plainText(
      401,
      "This address is not complete, or no longer valid. Copy it again from the session's page, or from 'berth sessions open'.",
    );
  const parts = [
    `${entrance.cookie}=${token}`,
    "Path=/",
    `Max-Age=${Math.ceil(entrance.leftMs / 1_000)}`,
    "HttpOnly",
    "SameSite=Lax",
    ...(entrance.isSecure ? ["Secure"] : []),
  ];
  const { headers } = plainText(200, "");
  return { status: 200, headers: { ...headers, "set-cookie": parts.join("; ") }, body: "" };
}

async function readToken(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += chunk;
    if (text.length > MAX_TOKEN_BYTES) return "";
  }
  return text;
}
