/** Of the Prometheus Operator's definition of a ServiceMonitor what the chart uses; the cluster for tests has no operator. */
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

export const SERVICE_MONITORS = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "servicemonitors.monitoring.coreos.com" },
  spec: {
    group: "monitoring.coreos.com",
    scope: "Namespaced",
    names: { kind: "ServiceMonitor", plural: "servicemonitors", singular: "servicemonitor" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: object({
            spec: object(
              { selector: object({ matchLabels: texts }), endpoints: { type: "array", items: endpoint } },
              ["endpoints", "selector"],
            ),
          }),
        },
      },
    ],
  },
};
