import type { Values } from "../../../script/chart/render-chart.ts";

/** The values that the chart requires. */
export const REQUIRED: Values = {
  image: { repository: "registry.example/berth" },
  database: { existingSecret: "berth-database" },
  secretKey: { existingSecret: "berth-key" },
  contents: { place: "s3://berth/contents?region=eu-central-1" },
};

const METRICS = [{ namespaceSelector: { matchLabels: { name: "monitoring" } } }];
const PLACE = {
  podAnnotations: { team: "agents" },
  serviceAccountAnnotations: { "cloud.example/role": "berth" },
  nodeSelector: { pool: "service" },
  tolerations: [{ key: "dedicated", operator: "Exists" }],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: "kubernetes.io/arch", operator: "In", values: ["amd64"] }] },
        ],
      },
    },
  },
};

/** Each option of the chart, on top of the required values. */
export const OPTIONS: Readonly<Record<string, Values>> = {
  "an image with a tag and a login": {
    image: { tag: "0.1.0-1", pullPolicy: "Always", pullSecrets: ["registry"] },
  },
  "a database behind a pooler": { database: { key: "pooled", directKey: "direct" } },
  "secrets of the bucket, of models and of the identity provider": {
    contents: { existingSecret: "berth-s3" },
    models: { existingSecret: "berth-models" },
    oidc: { existingSecret: "berth-oidc" },
  },
  "settings, files and variables": {
    settings: { models_file: "/etc/berth/files/models.json", console: "off" },
    files: { "models.json": '{"providers": {}}', "pod-patch.yaml": "spec: {}\n" },
    environment: [{ name: "HTTPS_PROXY", value: "http://proxy.example:3128" }],
  },
  "settings as YAML has them": {
    settings: {
      upload_limit: 536_870_912,
      max_cpus: 1.5,
      trusted_proxies: ["10.0.0.0/8", "192.0.2.1"],
      clone_retry_seconds: [1, 2.5, 30],
      hosted_providers: [
        { host: "git.example.com", token_env: ["GH_TOKEN", "GH_ENTERPRISE_TOKEN"] },
        { host: "other.example.com:8443", api: "https://api.example.com/v3?a=1&b=2" },
      ],
      oidc_mapping: [{ value: "a<b", organization: 'the "others"', role: "admin" }],
      oidc_issuer: "https://id.example.com",
      oidc_client_id: "berth",
      public_url: "https://berth.example.com",
      organization_limits: ["open_sessions=5", "running_turns=2"],
    },
  },
  "places of pods": { api: PLACE, runner: PLACE, egress: PLACE },
  "sandboxes without egress": { egress: { enabled: false } },
  "sandboxes by a proxy, in a namespace that is there": {
    sandboxes: { egress: "proxy", createNamespace: false },
  },
  "sandboxes by a proxy": { sandboxes: { egress: "proxy" } },
  "sandboxes by a proxy, with snapshots": { sandboxes: { egress: "proxy", snapshotClass: "quick" } },
  "pods of sandboxes": {
    sandboxes: {
      storageClass: "fast",
      snapshotClass: "quick",
      runtimeClass: "gvisor",
      nodeSelector: "pool=sandboxes",
      tolerations: "dedicated=sandboxes:NoSchedule",
      podSecurity: "baseline",
      warmPods: 2,
    },
  },
  "a load balancer": {
    service: { type: "LoadBalancer", port: 443, annotations: { "cloud.example/kind": "tcp" } },
  },
  "an ingress": { ingress: { enabled: true, host: "berth.example" } },
  "an ingress with TLS": {
    ingress: {
      enabled: true,
      host: "berth.example",
      className: "nginx",
      tlsSecret: "berth-tls",
      annotations: { "nginx.ingress.kubernetes.io/proxy-buffering": "off" },
    },
  },
  "policies for some": { networkPolicy: { apiFrom: [{ podSelector: {} }], metricsFrom: METRICS } },
  "no policies and budgets": {
    networkPolicy: { enabled: false },
    podDisruptionBudget: { enabled: false },
  },
  "upgrades without room": { rollingUpdate: { maxUnavailable: "100%", maxSurge: 0 } },
  "a budget in percent": { podDisruptionBudget: { maxUnavailable: "50%" } },
  metrics: {
    serviceMonitor: { enabled: true, labels: { release: "prometheus" }, tokenSecret: "berth-metrics" },
  },
  "metrics for everybody": { settings: { metrics_public: "yes" }, serviceMonitor: { enabled: true } },
  autoscaling: { autoscaling: { enabled: true, metricLabels: { namespace: "berth" } } },
};

/** Values that the chart rejects, with the expected message. */
export const WRONG: readonly [values: Values, named: RegExp][] = [
  [{ api: { replica: 3 } }, /api must NOT have additional properties/],
  [{ api: { replicas: "three" } }, /api\/replicas must be integer/],
  [{ image: { tag: "a b" } }, /image\/tag must match pattern/],
  [{ contents: { place: "/srv/berth" } }, /contents\/place must match pattern/],
  [{ settings: { console: false } }, /settings\/console must be string,number,array/],
  [{ settings: { trusted_proxies: [] } }, /settings\/trusted_proxies must NOT have fewer than 1 items/],
  [{ settings: { git_http_hosts: [["a"]] } }, /settings\/git_http_hosts\/0 must be string,number,object/],
  [{ settings: { oidc_mapping: { value: "a" } } }, /settings\/oidc_mapping must be string,number,array/],
  [
    { settings: { database_url: "postgres://berth:secret@db/berth" } },
    /settings property name must be valid/,
  ],
  [{ settings: { migrate: "on" } }, /settings property name must be valid/],
  [{ environment: [{ name: "BERTH_PORT", value: "1" }] }, /environment\/0\/name must NOT be valid/],
  [{ sandboxes: { egress: "none" } }, /sandboxes\/egress must be equal to one of the allowed values/],
  [{ sandboxes: { namespace: "" } }, /sandboxes\/namespace must match pattern/],
  [
    { podDisruptionBudget: { maxUnavailable: "some" } },
    /podDisruptionBudget\/maxUnavailable must match pattern/,
  ],
  [{ rollingUpdate: { maxSurge: -1 } }, /rollingUpdate\/maxSurge must be >= 0/],
  [{ userId: 0 }, /userId must be >= 1/],
  [
    { sandboxes: { egress: "proxy" }, networkPolicy: { enabled: false } },
    /networkPolicy\/enabled must be equal to constant/,
  ],
  [
    { egress: { enabled: false }, networkPolicy: { enabled: false } },
    /networkPolicy\/enabled must be equal to constant/,
  ],
  [
    { ingress: { enabled: true, host: "berth.example" }, settings: { public_url: "https://berth.example" } },
    /settings must NOT be valid/,
  ],
];
