/** OpenTelemetry's variables, as in the process's environment. */
type Environment = Readonly<Record<string, string | undefined>>;

export interface TraceSettings {
  protocol: "http/protobuf" | "http/json";
  serviceName: string;
  sampler: { parentBased: boolean; ratio: number };
  withContents: boolean;
}

const PROTOCOLS = ["http/protobuf", "http/json"] as const;
const SAMPLERS = ["always_on", "always_off", "traceidratio"];

/**
 * Parses `OTEL_*` variables; `settings` is null when they request no traces. The exporter itself reads
 * endpoint, headers, timeout and compression.
 * @returns also a sentence for each variable that has no effect because of its value.
 */
export function traceSettings(environment: Environment): {
  settings: TraceSettings | null;
  faults: string[];
} {
  const faults: string[] = [];
  const wrong = (name: string, problem: string) =>
    faults.push(`Berth ignores the variable ${name}: it ${problem}.`);
  if (!isOn(environment, wrong)) return { settings: null, faults };
  const settings = {
    protocol: protocolOf(environment, wrong),
    serviceName: environment.OTEL_SERVICE_NAME || "berth",
    sampler: samplerOf(environment, wrong),
    withContents: /^true$/i.test(environment.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT ?? ""),
  };
  return { settings, faults };
}

type Wrong = (name: string, problem: string) => unknown;

function isOn(environment: Environment, wrong: Wrong): boolean {
  if (/^true$/i.test(environment.OTEL_SDK_DISABLED ?? "")) return false;
  const exporter = environment.OTEL_TRACES_EXPORTER || "otlp";
  if (exporter !== "otlp" && exporter !== "none") wrong("OTEL_TRACES_EXPORTER", "must be otlp or none");
  if (exporter === "none") return false;
  const name = environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
    ? "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
    : "OTEL_EXPORTER_OTLP_ENDPOINT";
  const endpoint = environment[name];
  if (!endpoint) return false;
  if (/^https?:$/.test(URL.parse(endpoint)?.protocol ?? "")) return true;
  wrong(name, "must be a URL such as http://127.0.0.1:4318");
  return false;
}

function protocolOf(environment: Environment, wrong: Wrong): TraceSettings["protocol"] {
  const name = environment.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL
    ? "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"
    : "OTEL_EXPORTER_OTLP_PROTOCOL";
  const given = environment[name] || "http/protobuf";
  const protocol = PROTOCOLS.find((one) => one === given);
  if (protocol === undefined) wrong(name, `must be one of ${PROTOCOLS.join(", ")}`);
  return protocol ?? "http/protobuf";
}

function samplerOf(environment: Environment, wrong: Wrong): TraceSettings["sampler"] {
  const given = environment.OTEL_TRACES_SAMPLER || "parentbased_always_on";
  const [, prefix, name = ""] = /^(parentbased_)?(.*)$/.exec(given) ?? [];
  const parentBased = prefix !== undefined;
  if (!SAMPLERS.includes(name)) {
    const all = SAMPLERS.flatMap((one) => [one, `parentbased_${one}`]);
    wrong("OTEL_TRACES_SAMPLER", `must be one of ${all.join(", ")}`);
    return { parentBased: true, ratio: 1 };
  }
  if (name !== "traceidratio") return { parentBased, ratio: name === "always_on" ? 1 : 0 };
  const ratio = Number(environment.OTEL_TRACES_SAMPLER_ARG || "1");
  if (ratio >= 0 && ratio <= 1) return { parentBased, ratio };
  wrong("OTEL_TRACES_SAMPLER_ARG", "must be a number from 0 to 1");
  return { parentBased, ratio: 1 };
}
