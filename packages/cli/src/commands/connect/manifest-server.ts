import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { UsageError } from "../../shared/failure.ts";

/** A server on this machine that sends the browser to GitHub with a manifest, and takes it back. */
export interface ManifestServer {
  /** The page that sends the manifest. It is for the user alone. */
  page: string;
  /**
   * Waits for the browser to come back, has `made` called with GitHub's code, and sends the browser on to the address that it
   * returns. The browser is told when it fails.
   *
   * @throws what `made` throws, and the signal's reason when it aborts.
   */
  cameBack<Made>(
    made: (code: string) => Promise<{ next: string; value: Made }>,
    signal: AbortSignal,
  ): Promise<Made>;
  close(): void;
}

/**
 * @param form Address of GitHub's form, which takes the manifest by POST.
 * @param manifestFor Returns the manifest for the address to which GitHub sends the browser back.
 * @throws UsageError for a port that cannot be opened.
 */
export async function serveManifest(
  form: string,
  port: number,
  manifestFor: (redirect: string) => object,
): Promise<ManifestServer> {
  // Other users of this machine reach the server, too: without these, they could have another app connected.
  const [secret, state] = [randomBytes(24).toString("base64url"), randomBytes(24).toString("base64url")];
  const came = Promise.withResolvers<{ code: string; response: ServerResponse }>();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const code = searchParams.get("code");
    if (request.method === "GET" && isSame(pathname, `/${secret}`)) {
      const { nonce, html } = pageOf(`${form}?state=${state}`, manifestFor(`${origin}/created`));
      send(response, 200, html, `'nonce-${nonce}'`);
    } else if (
      request.method === "GET" &&
      pathname === "/created" &&
      isSame(searchParams.get("state") ?? "", state) &&
      code !== null
    ) {
      came.resolve({ code, response });
    } else send(response, 404, "<p>There is nothing here.");
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening").catch(({ code }: NodeJS.ErrnoException) => {
    throw new UsageError(
      `Port ${port} of this machine cannot be opened (${code}). Choose another with --port.`,
    );
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    page: `${origin}/${secret}`,
    async cameBack(made, signal) {
      const aborted = once(signal, "abort").then(() => signal.throwIfAborted() as never);
      const { code, response } = await Promise.race([came.promise, aborted]);
      try {
        const { next, value } = await made(code);
        response.writeHead(303, { location: next, "referrer-policy": "no-referrer" }).end();
        return value;
      } catch (error) {
        send(response, 502, "<p>The app could not be taken over. The command line says why.");
        throw error;
      }
    },
    close: () => {
      server.close();
      server.closeIdleConnections();
    },
  };
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Returns a page that sends the form at once, with a button for a browser without scripts. */
function pageOf(action: string, manifest: object): { nonce: string; html: string } {
  const nonce = randomBytes(16).toString("base64");
  const html = `<title>Berth</title>
<form method="post" action="${escaped(action)}">
<input type="hidden" name="manifest" value="${escaped(JSON.stringify(manifest))}">
<button>Make the GitHub App</button>
</form>
<script nonce="${nonce}">document.forms[0].submit()</script>
`;
  return { nonce, html };
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

function send(response: ServerResponse, status: number, html: string, scripts = "'none'"): void {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": `default-src 'none'; script-src ${scripts}; frame-ancestors 'none'`,
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    connection: "close",
  });
  response.end(`<!doctype html>\n<meta charset="utf-8">\n${html}`);
}
