import { type ClientRequest, type IncomingMessage, request as open, type ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { acceptBody } from "../../http/expected-body.ts";
import type { Entered } from "./entered.ts";
import type { PortAgent, PortAgents } from "./port-agents.ts";
import { requestHeaders, responseHeaders } from "./preview-headers.ts";

/**
 * Forwards a request to the port of a preview, and the response back. Bodies pass as they arrive, no faster
 * than the other side reads.
 *
 * @throws NotConnectedError, and whatever ends a request before its response.
 */
export async function forwardRequest(
  agents: PortAgents,
  entered: Entered,
  response: ServerResponse,
): Promise<void> {
  const { request, to } = entered;
  const hasBody =
    request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"] ?? 0) > 0;
  const agent = agents.of(entered.preview);
  await agent.slots.run(async () => {
    if (response.destroyed) return;
    const answer = await answered(agent, entered, response, hasBody);
    const headers = responseHeaders(answer, to).flat();
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? "", headers);
    await pipeline(answer, response).catch(() => response.destroy());
  });
}

async function answered(
  agent: PortAgent,
  { request, to, path, byHeader }: Entered,
  response: ServerResponse,
  hasBody: boolean,
): Promise<IncomingMessage> {
  for (;;) {
    const sent = open({
      agent,
      method: request.method,
      path,
      host: "localhost",
      setHost: false,
      headers: requestHeaders(request, to, byHeader).flat() as never,
    });
    const abort = () => sent.destroy();
    response.once("close", abort);
    try {
      if (hasBody) {
        acceptBody(request, Number.POSITIVE_INFINITY);
        pipeline(request, sent).catch(() => undefined);
      } else sent.end();
      return await responseOf(sent);
    } catch (error) {
      // The program may have closed a kept connection as it was used again, and has not seen the request.
      if (hasBody || !sent.reusedSocket || response.destroyed) throw error;
    } finally {
      response.removeListener("close", abort);
    }
  }
}

async function responseOf(sent: ClientRequest): Promise<IncomingMessage> {
  return await new Promise((resolve, reject) => {
    sent.once("response", resolve);
    sent.once("error", reject);
  });
}
