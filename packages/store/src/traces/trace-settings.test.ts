import assert from "node:assert/strict";
import { test } from "node:test";
import { traceSettings } from "./trace-settings.ts";

const ON = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" };

test("traces are on with an endpoint alone, and off by each variable that says so", () => {
  assert.deepEqual(traceSettings(ON), {
    settings: {
      protocol: "http/protobuf",
      serviceName: "berth",
      sampler: { parentBased: true, ratio: 1 },
      withContents: false,
    },
    faults: [],
  });
  for (const off of [
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: "" },
    { ...ON, OTEL_SDK_DISABLED: "true" },
    { ...ON, OTEL_TRACES_EXPORTER: "none" },
  ])
    assert.deepEqual(traceSettings(off), { settings: null, faults: [] }, JSON.stringify(off));
});

test("samplers, protocols and contents", () => {
  const of = (more: Record<string, string>) => traceSettings({ ...ON, ...more }).settings;
  for (const [name, sampler] of [
    ["always_off", { parentBased: false, ratio: 0 }],
    ["parentbased_always_off", { parentBased: true, ratio: 0 }],
    ["traceidratio", { parentBased: false, ratio: 0.25 }],
    ["parentbased_traceidratio", { parentBased: true, ratio: 0.25 }],
  ] as const)
    assert.deepEqual(of({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: "0.25" })?.sampler, sampler);
  assert.equal(of({ OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json" })?.protocol, "http/json");
  assert.equal(of({ OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "True" })?.withContents, true);
});

test("a wrong value is a sentence that names the variable, and has no effect", () => {
  for (const [name, value, said] of [
    ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "collector", "must be a URL such as http://127.0.0.1:4318"],
    ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "must be one of http/protobuf, http/json"],
    ["OTEL_TRACES_EXPORTER", "jaeger", "must be otlp or none"],
    ["OTEL_TRACES_SAMPLER_ARG", "2", "must be a number from 0 to 1"],
  ] as const) {
    const { faults } = traceSettings({ ...ON, OTEL_TRACES_SAMPLER: "traceidratio", [name]: value });
    assert.deepEqual(faults, [`Berth ignores the variable ${name}: it ${said}.`]);
  }
});
