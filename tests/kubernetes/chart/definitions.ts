/** Parts of third-party definitions that the chart and the guide use; the test cluster has no operator. */
const text = { type: "string" };
const texts = { type: "object", additionalProperties: text };
const object = (properties: object, required: readonly string[] = []) => ({
  type: "object",
  properties,
  ...(required.length === 0 ? {} : { required }),
});

const endpoint = object({
  port: text,
  path: text,
  interval: {
    ...text,
    pattern: "^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$",
  },
  authorization: object({ type: text, credentials: object({ name: text, key: text }, ["key"]) }),
});

const number = { type: "integer", format: "int32" };
const list = (items: object) => ({ type: "array", items });

/** The Prometheus Operator's ServiceMonitor. */
const serviceMonitor = object({ selector: object({ matchLabels: texts }), endpoints: list(endpoint) }, [
  "endpoints",
  "selector",
]);

const behaviour = object({
  stabilizationWindowSeconds: number,
  policies: list(
    object({ type: text, value: number, periodSeconds: number }, ["type", "value", "periodSeconds"]),
  ),
});

/** The ScaledObject of KEDA 2.9 or later. */
const scaledObject = object(
  {
    scaleTargetRef: object({ name: text }, ["name"]),
    minReplicaCount: number,
    maxReplicaCount: number,
    advanced: object({
      horizontalPodAutoscalerConfig: object({
        behavior: object({ scaleUp: behaviour, scaleDown: behaviour }),
      }),
    }),
    triggers: list(object({ type: text, metricType: text, metadata: texts }, ["metadata", "type"])),
  },
  ["scaleTargetRef", "triggers"],
);

function definition(group: string, kind: string, version: string, spec: object) {
  const singular = kind.toLowerCase();
  const plural = `${singular}s`;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, plural, singular },
      versions: [
        { name: version, served: true, storage: true, schema: { openAPIV3Schema: object({ spec }) } },
      ],
    },
  };
}

export const DEFINITIONS = [
  definition("monitoring.coreos.com", "ServiceMonitor", "v1", serviceMonitor),
  definition("keda.sh", "ScaledObject", "v1alpha1", scaledObject),
];
