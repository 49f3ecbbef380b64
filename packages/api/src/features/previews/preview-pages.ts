import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { html } from "../docs/html.ts";
import type { NoConnection } from "./preview-links.ts";

/** A response of Berth itself at a preview's origin. */
export interface OwnResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

const STYLE =
  "body{font:16px/1.5 system-ui,sans-serif;color-scheme:light dark;max-width:40rem;margin:15vh auto;padding:0 1rem}h1{font-size:1.25rem}";

/** Reads the token where only the page itself sees it, and exchanges it for a cookie of this origin. */
const ENTER = `const said=document.getElementById("said"),token=location.hash.slice(1);history.replaceState(null,"",location.pathname);if(token)fetch(location.pathname,{method:"POST",body:token,headers:{"content-type":"text/plain"}}).then(async r=>{if(r.ok)location.replace("/");else said.textContent=await r.text()}).catch(()=>{said.textContent="The service cannot be reached."});else said.textContent="This address lacks its last part, after the #. Copy the whole address.";`;

const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const CLOSED = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

const POLICY = `default-src 'none'; style-src ${hash(STYLE)}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;
const ENTER_POLICY = `${POLICY}; script-src ${hash(ENTER)}; connect-src 'self'`;

/** Returns a page in plain words; plain text for a client that does not ask for HTML. */
export function messagePage(
  request: IncomingMessage,
  status: number,
  title: string,
  text: string,
): OwnResponse {
  if (!/\btext\/html\b/.test(request.headers.accept ?? "")) return plainText(status, `${title} ${text}\n`);
  return page(status, html`<h1>${title}</h1><p>${text}</p>`.text, POLICY);
}

export function plainText(status: number, text: string): OwnResponse {
  return { status, headers: { ...CLOSED, "content-type": "text/plain; charset=utf-8" }, body: text };
}

/** Returns the page that opens a preview in a browser. */
export function enterPage(): OwnResponse {
  return page(200, `<h1>Preview</h1><p id="said">Opening …</p><script>${ENTER}</script>`, ENTER_POLICY);
}

export const NO_PREVIEW = [
  410,
  "This preview has ended.",
  "It was deleted or has expired, or its session has ended. Whoever may change the session can make another.",
] as const;

export const NOT_ENTERED = [
  401,
  "This preview is not open in this browser.",
  "Open it from the session's page in the console, or by its whole address, which 'berth sessions open SESSION PORT --no-open' prints. Programs send the part after the # as 'Authorization: Bearer'.",
] as const;

export const FOREIGN = [
  403,
  "This request comes from another site.",
  "Only pages of the preview itself may send it.",
] as const;

/** Returns status, title and text about a port that cannot be reached. */
export function noConnectionText(reason: NoConnection, port: number): readonly [number, string, string] {
  switch (reason) {
    case "asleep":
      return [
        503,
        "The sandbox is asleep.",
        `It closes when the session rests. Send the agent a message, or have it start the program on port ${port} again.`,
      ];
    case "not_listening":
      return [
        502,
        `Nothing listens on port ${port}.`,
        "Start the program in the sandbox, then reload this page.",
      ];
    case "full":
      return [503, "The sandbox has too many connections or processes.", "Try again in a moment."];
    case "unreachable":
      return [
        503,
        "The sandbox is on a machine that cannot reach this service.",
        "The operator has to set BERTH_PREVIEW_ADDRESS to an address of each API process that runners can connect to.",
      ];
    case "failed":
      return [502, `Port ${port} of the sandbox could not be reached.`, "Try again in a moment."];
  }
}

function page(status: number, body: string, policy: string): OwnResponse {
  return {
    status,
    headers: { ...CLOSED, "content-type": "text/html; charset=utf-8", "content-security-policy": policy },
    body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Preview – Berth</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`,
  };
}
