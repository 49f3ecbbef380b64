import type { Requirement } from "./requirement.ts";

/** Rules for traces. */
export const traceRequirements: readonly Requirement[] = [
  {
    id: "traces",
    source: "seed 8",
    rule: "With OTEL_EXPORTER_OTLP_ENDPOINT, spans are sent for each request, turn, request to a model, tool call and opened sandbox, by OpenTelemetry's conventions. A request continues the trace of its traceparent, and the turn that it causes is a part of it.",
  },
  {
    id: "traces-contents",
    source: "seed 8",
    rule: "Spans have nothing that was said or done, unless OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT is true; then without the session's secrets.",
  },
  {
    id: "traces-absent",
    source: "seed 8",
    rule: "A collector that is absent or hangs delays no request, turn or stop. Without the variables nothing is sent.",
  },
];
