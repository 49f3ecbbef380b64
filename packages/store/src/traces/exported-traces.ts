import {
  type Attributes as OtelAttributes,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Logger } from "pino";
import type { TraceSettings } from "./trace-settings.ts";
import { formatTraceparent, parseTraceparent } from "./traceparent.ts";
import type { Attributes, SpanStart, TraceSpan, Traces } from "./traces.ts";

const CLOSE_MS = 2_000;
const WARN_MS = 60_000;
/** `ExportResultCode.FAILED` of OpenTelemetry. */
const FAILED = 1;

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

/**
 * Creates spans with OpenTelemetry's SDK, and sends them in batches in the background. While the collector is
 * unavailable, new spans are dropped once the queue is full.
 */
export async function exportedTraces(
  { protocol, serviceName, sampler, withContents }: TraceSettings,
  part: { name: string; version: string },
  log: Logger,
): Promise<Traces> {
  const own = { "service.name": serviceName, "service.version": part.version, "berth.part": part.name };
  const resource = defaultResource()
    .merge(resourceFromAttributes(own))
    .merge(detectResources({ detectors: [envDetector] }));
  const exporter = toldFailures(await openExporter(protocol), log);
  const provider = new TracerProvider({
    resource,
    sampler: samplerOf(sampler),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer("berth", part.version);
  return {
    withContents,
    start(name, { kind = "internal", parent, attributes = {}, agoMs = 0 }: SpanStart = {}): TraceSpan {
      const span = tracer.startSpan(
        name,
        { kind: KINDS[kind], attributes: defined(attributes), startTime: Date.now() - agoMs },
        contextOf(parent),
      );
      const { traceId, spanId, traceFlags } = span.spanContext();
      const isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
      return {
        traceparent: formatTraceparent({ traceId, spanId, isSampled }),
        end(more = {}, error) {
          span.setAttributes(defined(more));
          if (error !== undefined) {
            span.setAttribute("error.type", error);
            span.setStatus({ code: SpanStatusCode.ERROR });
          }
          span.end();
        },
      };
    },
    async close() {
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, CLOSE_MS);
      await Promise.race([provider.shutdown().catch(() => undefined), late.promise]);
      clearTimeout(timer);
    },
  };
}

async function openExporter(protocol: TraceSettings["protocol"]): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    protocol === "http/json"
      ? await import("@opentelemetry/exporter-trace-otlp-http")
      : await import("@opentelemetry/exporter-trace-otlp-proto");
  return new OTLPTraceExporter();
}

/** Wraps an exporter so that failures are logged at most once a minute. */
function toldFailures(exporter: SpanExporter, log: Logger): SpanExporter {
  let toldAt = Number.NEGATIVE_INFINITY;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.code === FAILED && performance.now() - toldAt > WARN_MS) {
          toldAt = performance.now();
          log.warn({ spans: spans.length, reason: result.error?.message }, "traces could not be sent");
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => await exporter.forceFlush?.(),
  };
}

function samplerOf({ parentBased, ratio }: TraceSettings["sampler"]): Sampler {
  const root = new TraceIdRatioBasedSampler(ratio);
  return parentBased ? new ParentBasedSampler({ root }) : root;
}

function contextOf(parent: string | null | undefined) {
  const place = parent ? parseTraceparent(parent) : null;
  if (place === null) return ROOT_CONTEXT;
  const { traceId, spanId, isSampled } = place;
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function defined(attributes: Attributes): OtelAttributes {
  return Object.fromEntries(
    Object.entries(attributes).filter(([, value]) => value !== undefined),
  ) as OtelAttributes;
}
