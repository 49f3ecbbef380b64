// Tests the templates of deploy/chart as text, without a cluster.
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { Ajv } from "ajv";
import { isMap, isScalar, parse, parseAllDocuments, parseDocument, type YAMLMap } from "yaml";
import {
  CHART,
  type ClusterObject,
  defaultValues,
  merged,
  RELEASE,
  renderChart,
  renderFiles,
  type Values,
} from "../../../script/chart/render-chart.ts";
import { guideBlocks } from "./guide-blocks.ts";
import { OPTIONS, REQUIRED, WRONG } from "./values.ts";

const ROOT = join(import.meta.dirname, "../../..");
const run = promisify(execFile);
const ROLES = ["api", "egress", "runner"];
const all = [["nothing but what is required", {}] as const, ...Object.entries(OPTIONS)];

const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(
  JSON.parse(readFileSync(join(CHART, "values.schema.json"), "utf8")),
);

function faultsOf(values: Values): string[] {
  validate(merged(defaultValues(), values));
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function objects(values: Values = {}): ClusterObject[] {
  return renderChart(merged(REQUIRED, values));
}

function ofKind(kind: string, values: Values = {}): ClusterObject[] {
  return objects(values).filter((object) => object.kind === kind);
}

/** Returns the chart's pods by name. */
function podsOf(values: Values = {}): Map<string, ClusterObject> {
  const kinds = [...ofKind("Deployment", values), ...ofKind("Job", values)];
  return new Map(kinds.map(({ metadata, spec }) => [metadata.name.replace("berth-", ""), spec.template]));
}

test("with what is required alone: three roles, a job, two namespaces", () => {
  const names = objects().map(({ kind, metadata }) => `${metadata.namespace ?? ""}/${kind}/${metadata.name}`);
  assert.deepEqual(names.toSorted(), [
    "/Namespace/berth-sandboxes",
    "berth-sandboxes/NetworkPolicy/berth-sandboxes",
    "berth-sandboxes/Role/berth-runner",
    "berth-sandboxes/RoleBinding/berth-runner",
    ...ROLES.map((role) => `berth/Deployment/berth-${role}`),
    "berth/Job/berth-migrate",
    ...["api", "egress", "migrate", "runner"].map((role) => `berth/NetworkPolicy/berth-${role}`),
    ...ROLES.map((role) => `berth/PodDisruptionBudget/berth-${role}`),
    ...ROLES.map((role) => `berth/Service/berth-${role}`),
    ...ROLES.map((role) => `berth/ServiceAccount/berth-${role}`),
  ]);
});

test("without what is required, or with a wrong value → it is told", () => {
  assert.throws(() => renderChart({}), /image\.repository has to name the image of Berth/);
  for (const [part, message] of [
    ["database", /database\.existingSecret has to name/],
    ["secretKey", /secretKey\.existingSecret has to name/],
    ["contents", /contents\.place has to name a bucket/],
  ] as const)
    assert.throws(() => renderChart({ ...REQUIRED, [part]: {} }), message);
  assert.throws(() => objects({ ingress: { enabled: true } }), /ingress\.host has to be/);
  assert.throws(
    () => objects({ serviceMonitor: { enabled: true } }),
    /serviceMonitor\.tokenSecret has to name/,
  );
  for (const [values, named] of WRONG) assert.match(faultsOf(values).join("\n"), named);
});

test("the defaults and each option are right by the schema, which is strict about everything and the same in Go", () => {
  for (const [name, values] of all) assert.deepEqual(faultsOf(merged(REQUIRED, values)), [], name);
  const schema = readFileSync(join(CHART, "values.schema.json"), "utf8");
  assert.doesNotMatch(schema, /\(\?[=!<]/, "Go's regular expressions look neither ahead nor behind");
});

test("the values that the guide prints are right", () => {
  const values = valuesOfGuide();
  assert.equal(values.length, 3);
  for (const given of values) {
    assert.deepEqual(faultsOf(merged(REQUIRED, given)), []);
    assert.ok(objects(given).length > 0);
  }
});

function valuesOfGuide(): Values[] {
  return guideBlocks().filter((block) => Object.keys(block).every((key) => key in defaultValues()));
}

test("the chart has the version of the packages", () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const chart = parse(readFileSync(join(CHART, "Chart.yaml"), "utf8"));
  assert.deepEqual([chart.version, chart.appVersion], [version, version]);
});

test("each value has a comment", () => {
  const document = parseDocument(readFileSync(join(CHART, "values.yaml"), "utf8"));
  const uncommented = (map: YAMLMap, path: string): string[] =>
    map.items.flatMap(({ key, value }, at) => {
      const name = isScalar(key) ? `${path}${key.value}` : path;
      // The first key's comment belongs to the map.
      const comment = (isScalar(key) ? key.commentBefore : null) ?? (at === 0 ? map.commentBefore : null);
      const deeper =
        isMap(value) && !value.flow && !name.endsWith("resources") ? uncommented(value, `${name}.`) : [];
      return [...(comment || (path === "" && at === 0) ? [] : [name]), ...deeper];
    });
  assert.deepEqual(uncommented(document.contents as YAMLMap, ""), []);
});

test("the Role has the rights of the guide and no more, and only the runner has it", () => {
  const guide = readFileSync(join(ROOT, "docs/guides/sandbox-engines.md"), "utf8");
  const { rules } = parse(/^```yaml\n(rules:.*?)^```$/ms.exec(guide)?.[1] ?? "");
  assert.deepEqual(
    ofKind("Role").map((role) => role.rules),
    [rules],
  );
  const snapshots = /^- \{apiGroups: \[snapshot.*$/m.exec(guide)?.[0] ?? "";
  const [withSnapshots] = ofKind("Role", { sandboxes: { snapshotClass: "quick" } });
  assert.deepEqual(withSnapshots.rules, [...rules, ...parse(snapshots)]);
  const [binding, ...others] = ofKind("RoleBinding");
  assert.deepEqual(others, []);
  assert.deepEqual(binding.subjects, [{ kind: "ServiceAccount", name: "berth-runner", namespace: "berth" }]);
  for (const [name, { spec }] of podsOf())
    assert.equal(spec.automountServiceAccountToken, name === "runner", name);
});

test("pods have no root, no capability, no writable image, no secret in a variable or an argument", () => {
  for (const [option, values] of all)
    for (const [name, { spec }] of podsOf(values)) {
      const { runAsNonRoot, runAsUser, seccompProfile } = spec.securityContext;
      assert.deepEqual([runAsNonRoot, runAsUser, seccompProfile], [true, 10001, { type: "RuntimeDefault" }]);
      for (const container of spec.containers) {
        assert.deepEqual(container.securityContext, {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        });
        assert.ok(container.resources.requests.memory, `${option}: ${name}`);
        for (const { value } of container.env) assert.equal(typeof value, "string", `${option}: ${name}`);
      }
    }
});

test("what selects pods finds those of its role, and ports are those that the role has", () => {
  const pods = podsOf();
  const found = (selector: Record<string, string>) =>
    [...pods].filter(([, { metadata }]) =>
      Object.entries(selector).every(([key, value]) => metadata.labels[key] === value),
    );
  const role = (name: string) => name.replace("berth-", "");
  for (const { metadata, spec } of [...ofKind("PodDisruptionBudget"), ...ofKind("Deployment")])
    assert.deepEqual(
      found(spec.selector.matchLabels).map(([name]) => name),
      [role(metadata.name)],
    );
  for (const { metadata, spec } of ofKind("Service")) {
    const [[name, pod] = ["", null]] = found(spec.selector);
    assert.equal(name, role(metadata.name));
    const ports = pod?.spec.containers[0].ports.map((port: ClusterObject) => port.name);
    for (const { targetPort } of spec.ports) assert.ok(ports.includes(targetPort), targetPort);
  }
  for (const { metadata, spec } of ofKind("NetworkPolicy")) {
    if (metadata.namespace !== RELEASE.Namespace) continue;
    const [[name, pod] = ["", null]] = found(spec.podSelector.matchLabels);
    assert.equal(name, role(metadata.name));
    const ports = pod?.spec.containers[0].ports?.map((port: ClusterObject) => port.containerPort) ?? [];
    for (const { port } of (spec.ingress ?? []).flatMap((rule: ClusterObject) => rule.ports))
      assert.ok(ports.includes(port), `${name}: ${port}`);
  }
});

test("sandboxes reach the gateway's port and nothing else; without a gateway nothing", () => {
  const policy = (values: Values) => {
    const [found] = ofKind("NetworkPolicy", values).filter(
      ({ metadata }) => metadata.namespace === "berth-sandboxes",
    );
    return found.spec;
  };
  const { podSelector, policyTypes, ingress, egress } = policy({});
  assert.deepEqual([podSelector, policyTypes, ingress], [{}, ["Ingress", "Egress"], undefined]);
  assert.deepEqual(egress, [
    {
      to: [
        {
          namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "berth" } },
          podSelector: {
            matchLabels: {
              "app.kubernetes.io/name": "berth",
              "app.kubernetes.io/instance": "berth",
              "app.kubernetes.io/component": "egress",
            },
          },
        },
      ],
      ports: [{ protocol: "TCP", port: 4182 }],
    },
  ]);
  assert.equal(policy({ egress: { enabled: false } }).egress, undefined);
});

test("the schema is migrated by the job alone, and the namespace with the disks stays", () => {
  for (const [name, { spec }] of podsOf())
    assert.equal(variables(spec.containers[0]).BERTH_MIGRATE, "off", name);
  const [job] = ofKind("Job");
  assert.equal(job.metadata.annotations["helm.sh/hook"], "pre-install,pre-upgrade");
  assert.deepEqual(job.spec.template.spec.containers[0].args, ["migrate"]);
  const [namespace] = ofKind("Namespace");
  assert.equal(namespace.metadata.annotations["helm.sh/resource-policy"], "keep");
  const standardOf = (sandboxes: Values) => {
    const [made] = ofKind("Namespace", { sandboxes });
    return made.metadata.labels["pod-security.kubernetes.io/enforce"];
  };
  assert.equal(namespace.metadata.labels["pod-security.kubernetes.io/enforce"], "privileged");
  assert.equal(standardOf({ egress: "proxy" }), "restricted");
  assert.equal(standardOf({ egress: "proxy", snapshotClass: "quick" }), "baseline");
});

/** `berth config check` also reports variables that are no settings. */
test("each role's pods have settings that Berth takes, with each option and what the guide prints", async (t) => {
  const chosen = [
    "settings, files and variables",
    "settings as YAML has them",
    "pods of sandboxes",
    "an ingress with TLS",
  ].map((name) => [name, OPTIONS[name] ?? {}] as const);
  const ofGuide = valuesOfGuide().map((values) => [`the guide: ${Object.keys(values)}`, values] as const);
  for (const [option, values] of [...chosen, ...ofGuide]) {
    const directory = mountedFiles(t, values.files ?? {});
    for (const role of option.startsWith("the guide") ? ["api"] : ROLES) {
      const [container] = podsOf(values).get(role)?.spec.containers ?? [];
      const env = Object.entries(variables(container)).map(([name, value]) => [
        name,
        asMounted(value, directory),
      ]);
      const { stdout, stderr } = await run(join(ROOT, "bin/berth"), ["config", "check"], {
        env: { PATH: process.env.PATH, HOME: directory, BERTH_PORT: "0", ...Object.fromEntries(env) },
      });
      assert.match(stdout, /^The settings are valid; [^\n]*\n$/, `${option}: ${role}`);
      // TLS ends in front of the pods, at the operator's gateway.
      const others = stderr.replaceAll(/^warning: BERTH_\w+: Berth [^:]* plain HTTP at 0\.0\.0\.0.*\n/gm, "");
      assert.equal(others, "", `${option}: ${role}`);
    }
  }
});

test("a setting may be what YAML has for it: each is the text that its variable needs", () => {
  const given = {
    upload_limit: 536_870_912,
    max_cpus: 1.5,
    trusted_proxies: ["10.0.0.0/8", "192.0.2.1"],
    clone_retry_seconds: [1, 2.5],
    git_ca_files: [{ host: "a&b", ca_file: "/etc/berth/files/a.pem" }],
    retention_days: "sessions=90,files=30",
  };
  const [container] = podsOf({ settings: given }).get("api")?.spec.containers ?? [];
  const { BERTH_GIT_CA_FILES: objects = "", ...texts } = variables(container);
  assert.deepEqual(JSON.parse(objects), given.git_ca_files);
  assert.partialDeepStrictEqual(texts, {
    BERTH_UPLOAD_LIMIT: "536870912",
    BERTH_MAX_CPUS: "1.5",
    BERTH_TRUSTED_PROXIES: "10.0.0.0/8,192.0.2.1",
    BERTH_CLONE_RETRY_SECONDS: "1,2.5",
    BERTH_RETENTION_DAYS: "sessions=90,files=30",
  });
});

function variables(container: ClusterObject): Record<string, string> {
  return Object.fromEntries(container.env.map(({ name, value }: ClusterObject) => [name, value]));
}

/** Writes the files that pods mount to a directory of this test. @param files the files in the values. */
function mountedFiles(t: TestContext, files: object): string {
  const directory = mkdtempSync(join(tmpdir(), "berth-chart-"));
  t.after(() => rmSync(directory, { recursive: true }));
  for (const [path, content] of [
    ["database/url", "postgres://berth:secret@db.example/berth"],
    ["secret-key/secret.key", randomBytes(32).toString("base64")],
    ...Object.entries(files).map(([name, text]) => [`files/${name}`, String(text)] as const),
  ] as const) {
    mkdirSync(join(directory, path, ".."), { recursive: true });
    writeFileSync(join(directory, path), content, { mode: 0o600 });
  }
  return directory;
}

function asMounted(value: string, directory: string): string {
  return value
    .replaceAll(/\/etc\/berth(?=\/)|\/var\/lib\/berth(?=\/)/g, directory)
    .replace(/^(0\.0\.0\.0):\d+$/, "$1:0");
}

test("the renderer refuses what it does not know", async () => {
  const { parseTemplate } = await import("../../../script/chart/parse-template.ts");
  const { render } = await import("../../../script/chart/evaluate.ts");
  const of = (text: string) => () => render(parseTemplate(text).body, new Map(), { Values: { a: 1 } });
  assert.equal(of("{{- if eq .Values.a 1 }} one {{ else }} other {{- end }}")(), " one ");
  assert.throws(of("{{ lookup .Values.a }}"), /the function 'lookup' is not known/);
  assert.throws(of("{{ .Values.b }}"), /has no 'b'/);
  assert.throws(of("{{ .Values }}"), /cannot be printed/);
  assert.throws(of("{{ template .Values.a }}"), /not known/);
  assert.throws(of("{{ with .Values.a }}{{ else }}{{ end }}"), /out of place|missing/);
  assert.throws(of("{{ if .Values.a }}"), /missing/);
  assert.throws(of("{{ $b }}"), /the variable \$b is not known/);
  assert.throws(of("{{ .Values.a"), /does not end/);
});

test("Helm makes the same of it", { skip: hasHelm() ? false : "helm is not on the path" }, () => {
  for (const [name, values] of all) {
    const input = JSON.stringify(merged(REQUIRED, values));
    const words = ["template", RELEASE.Name, CHART, "--namespace", RELEASE.Namespace, "--values", "-"];
    const text = execFileSync("helm", words, { input, encoding: "utf8" });
    const made = parseAllDocuments(text)
      .map((document) => document.toJS())
      .filter((object) => object !== null);
    assert.deepEqual(inOrder(made), inOrder(objects(values)), name);
  }
  execFileSync("helm", ["lint", CHART, "--values", "-"], { input: JSON.stringify(REQUIRED) });
});

function hasHelm(): boolean {
  try {
    execFileSync("helm", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function inOrder(objects: readonly ClusterObject[]): ClusterObject[] {
  return objects.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
}

function nameOf({ kind, metadata }: ClusterObject): string {
  return `${kind} ${metadata.namespace} ${metadata.name}`;
}

test("the notes name the release", () => {
  assert.match(renderFiles(REQUIRED).get("NOTES.txt") ?? "", /--namespace berth exec deployment\/berth-api/);
});

test("the size small: what its pods ask for fits beside sandboxes on a node of one processor and 2 GiB, and an upgrade needs no more", () => {
  const small: Values = parse(readFileSync(join(CHART, "sizes/small.yaml"), "utf8"));
  assert.deepEqual(faultsOf(merged(REQUIRED, small)), []);
  const sums = [sumsOf({}), sumsOf(small)];
  assert.deepEqual(sums, [
    { milliCpus: 2_000, mebibytes: 3_584 },
    { milliCpus: 175, mebibytes: 608 },
  ]);
  for (const { spec } of ofKind("Deployment", small)) {
    assert.deepEqual(spec.strategy.rollingUpdate, { maxUnavailable: 1, maxSurge: 0 });
    assert.equal(spec.replicas, 1);
  }
  const own = merged(small, { runner: { replicas: 2 } });
  const runner = ofKind("Deployment", own).find(({ metadata }) => metadata.name === "berth-runner");
  assert.equal(runner?.spec.replicas, 2, "one's own values go before those of the size");
});

test("an upgrade by default keeps all pods until the next ones are ready", () => {
  for (const { spec } of ofKind("Deployment"))
    assert.deepEqual(spec.strategy.rollingUpdate, { maxUnavailable: 0, maxSurge: 1 });
});

/** Returns the sum of the resource requests of all pods of the Deployments. */
function sumsOf(values: Values): { milliCpus: number; mebibytes: number } {
  const sums = { milliCpus: 0, mebibytes: 0 };
  for (const { spec } of ofKind("Deployment", values))
    for (const { resources } of spec.template.spec.containers) {
      sums.milliCpus += spec.replicas * Number.parseInt(resources.requests.cpu, 10);
      const [, amount = "0", unit] = /^(\d+)(Mi|Gi)$/.exec(resources.requests.memory) ?? [];
      sums.mebibytes += spec.replicas * Number(amount) * (unit === "Gi" ? 1_024 : 1);
    }
  return sums;
}
