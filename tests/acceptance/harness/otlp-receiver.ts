import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A span as OTLP sends it, with its attributes by name. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  /** 1 internal, 2 server, 3 client. */
  kind: number;
  failed: boolean;
  attributes: Record<string, string | number | boolean>;
  /** Attributes of the process that sent it. */
  resource: Record<string, string | number | boolean>;
}

interface WireAttribute {
  key: string;
  value: { stringValue?: string; intValue?: string | number; doubleValue?: number; boolValue?: boolean };
}

export interface OtlpReceiver {
  url: string;
  spans: ReceivedSpan[];
  /** Returns everything that was sent, as text. */
  text(): string;
  /** Headers of the requests. */
  headers: Array<Record<string, unknown>>;
  close(): Promise<void>;
}

/** Starts a collector that keeps the JSON that it receives. @param hangs whether it never responds. */
export async function startOtlpReceiver({ hangs = false } = {}): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const texts: string[] = [];
  const headers: OtlpReceiver["headers"] = [];
  const server = createServer((request, response) => {
    headers.push(request.headers);
    let text = "";
    request.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    request.on("end", () => {
      texts.push(text);
      if (hangs) return;
      spans.push(...spansOf(JSON.parse(text)));
      response.setHeader("content-type", "application/json");
      response.end("{}");
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    headers,
    text: () => texts.join("\n"),
    async close() {
      server.close().closeAllConnections();
      await once(server, "close");
    },
  };
}

interface WireSpan extends Omit<ReceivedSpan, "attributes" | "resource" | "failed"> {
  attributes: WireAttribute[];
  status?: { code?: number };
}

interface WireMessage {
  resourceSpans: Array<{
    resource: { attributes: WireAttribute[] };
    scopeSpans: Array<{ spans: WireSpan[] }>;
  }>;
}

function spansOf({ resourceSpans }: WireMessage): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ attributes, status, parentSpanId, ...span }) => ({
        ...span,
        parentSpanId: parentSpanId ?? "",
        failed: status?.code === 2,
        attributes: byName(attributes),
        resource: byName(resource.attributes),
      })),
    ),
  );
}

function byName(attributes: readonly WireAttribute[]): ReceivedSpan["attributes"] {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? value.doubleValue ?? Number(value.intValue),
    ]),
  );
}
