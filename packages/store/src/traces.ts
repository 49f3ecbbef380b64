export { openTraces } from "./traces/open-traces.ts";
export { type Attributes, NO_TRACES, type TraceSpan, type Traces } from "./traces/traces.ts";
