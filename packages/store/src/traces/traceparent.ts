/** The identity of a span, as in the W3C header `traceparent`. */
export interface SpanPlace {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  isSampled: boolean;
}

/** Parses a `traceparent`. Returns null when it is malformed, or has the invalid version ff. */
export function parseTraceparent(text: string): SpanPlace | null {
  const [, version, traceId = "", spanId = "", flags = ""] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(text) ?? [];
  if (version === undefined || version === "ff" || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  if (version === "00" && text.length !== 55) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Returns the header's text, in version 00. */
export function formatTraceparent({ traceId, spanId, isSampled }: SpanPlace): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}
