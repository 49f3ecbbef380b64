/** What a span says, by the names of OpenTelemetry's conventions. Undefined: nothing. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanStart {
  /** Default: internal. */
  kind?: "server" | "client" | "internal";
  /** The `traceparent` of the span above. Default: none, so that a trace begins here. */
  parent?: string | null | undefined;
  attributes?: Attributes;
  /** Milliseconds ago. Default: now. */
  agoMs?: number;
}

export interface TraceSpan {
  /** For spans below it; null while nothing is traced. */
  readonly traceparent: string | null;
  /** @param error a low-cardinality name of what failed, as in `error.type`. Default: nothing failed. */
  end(attributes?: Attributes, error?: string): void;
}

/** Spans that are sent to a collector. None of its methods throws, and none waits for the collector. */
export interface Traces {
  /** Whether what was said and done may be in spans. */
  readonly withContents: boolean;
  start(name: string, start?: SpanStart): TraceSpan;
  /** Sends what is left, and waits for that at most two seconds. */
  close(): Promise<void>;
}

const NO_SPAN: TraceSpan = { traceparent: null, end: () => undefined };

/** Nothing is traced. */
export const NO_TRACES: Traces = {
  withContents: false,
  start: () => NO_SPAN,
  close: async () => undefined,
};
