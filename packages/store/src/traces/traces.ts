/** Attributes of a span, by the names of OpenTelemetry's conventions. Undefined ones are left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanStart {
  /** Default: internal. */
  kind?: "server" | "client" | "internal";
  /** The `traceparent` of the parent span. Default: none, which starts a new trace. */
  parent?: string | null | undefined;
  attributes?: Attributes;
  /** Milliseconds since the span's start. Default: 0. */
  agoMs?: number;
}

export interface TraceSpan {
  /** The `traceparent` for child spans; null while nothing is traced. */
  readonly traceparent: string | null;
  /**
   * Ends the span.
   * @param error A low-cardinality name of the failure, as in `error.type`. Default: no failure.
   */
  end(attributes?: Attributes, error?: string): void;
}

/** Spans that are sent to a collector. No method throws or waits for the collector. */
export interface Traces {
  /** Whether spans may contain messages and the contents of calls. */
  readonly withContents: boolean;
  start(name: string, start?: SpanStart): TraceSpan;
  /** Sends the remaining spans, and waits for that at most two seconds. */
  close(): Promise<void>;
}

const NO_SPAN: TraceSpan = { traceparent: null, end: () => undefined };

/** Traces that record nothing. */
export const NO_TRACES: Traces = {
  withContents: false,
  start: () => NO_SPAN,
  close: async () => undefined,
};
