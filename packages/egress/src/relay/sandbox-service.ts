import { STATUS_CODES } from "node:http";
import { type HostName, parseHostName } from "../names/host-name.ts";
import { EgressError } from "../policy/egress-error.ts";
import type { Client } from "../protocols/client.ts";
import { pathOf } from "../protocols/http-request.ts";
import type { Identified } from "./identify.ts";

/**
 * A host that exists for one sandbox alone, at port 80. Berth answers its requests itself, whatever the policy
 * allows, and no connection leaves the machine.
 */
export interface SandboxService {
  host: string;
  /** Answers a GET request. `path` is the request's, with its query. When it rejects, the answer is a 500. */
  answer(path: string): Promise<ServiceAnswer>;
}

export interface ServiceAnswer {
  status: 200 | 400 | 404;
  /** Plain text. */
  body: string;
}

export type ServicesByHost = ReadonlyMap<HostName, SandboxService>;

/** @throws EgressError for a host that is not a name. */
export function servicesByHost(services: readonly SandboxService[] = []): ServicesByHost {
  return new Map(
    services.map((service) => {
      const host = parseHostName(service.host);
      if (host === null) throw new EgressError(`${JSON.stringify(service.host)} is not a host name.`);
      return [host, service];
    }),
  );
}

/** Answers a request to a service. Returns whether it was one. */
export async function answerAsService(
  client: Client,
  target: Identified,
  { services }: { services: ServicesByHost },
  { log }: { log(line: string): void },
): Promise<boolean> {
  if (target.kind !== "host" || target.protocol !== "http" || target.port !== 80) return false;
  const service = services.get(target.name);
  if (service === undefined) return false;
  const { method } = target.head;
  client.resume();
  if (method !== "GET") client.end(httpResponse(405, "Only GET is answered.\n"));
  else
    await service.answer(pathOf(target.head.target)).then(
      ({ status, body }) => client.end(httpResponse(status, body)),
      (error: unknown) => {
        log(`egress: ${target.name}: ${error instanceof Error ? error.message : "unknown error"}`);
        client.end(httpResponse(500, "The service failed.\n"));
      },
    );
  return true;
}

function httpResponse(status: number, body: string): string {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    "content-type: text/plain; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}
