import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { parse, stringify } from "yaml";
import { Berth } from "../acceptance/harness/berth.ts";
import { bash, makeSession, runTurn } from "../acceptance/harness/fixtures.ts";
import { type AlertCase, FIRING, HEALTHY } from "./alert-cases.ts";

/**
 * Tests `deploy/observability` and the guide against the metrics of a service, and with Prometheus's own
 * tool.
 */

const ROOT = join(import.meta.dirname, "../..");
const run = promisify(execFile);
const file = (path: string) => readFile(join(ROOT, path), "utf8");

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
}

let directory: string;
let berth: Berth;
let rules: Rule[];
/** The names of the metrics, each with the labels of its series. */
let metrics: Map<string, Set<string>>;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "berth-observability-"));
  rules = parse(await file("deploy/observability/alerts.yaml")).groups[0].rules;
  berth = await Berth.start();
  const api = await berth.client();
  await runTurn(api, (await makeSession(api)).id, bash("echo measured"));
  metrics = metricsOf(await (await fetch(`${berth.url}/metrics`)).text());
});
after(async () => {
  await berth.stop();
  await rm(directory, { recursive: true, force: true });
});

function metricsOf(text: string): Map<string, Set<string>> {
  const names = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = ""]) => name);
  return new Map(
    names.map((name) => {
      const series = text.match(new RegExp(`^${name}(_bucket|_sum|_count)?\\{[^}]*\\}`, "gm")) ?? [];
      return [
        name,
        new Set(series.flatMap((one) => [...one.matchAll(/(\w+)="/g)].map(([, label = ""]) => label))),
      ];
    }),
  );
}

/** Returns the metrics of Berth and its processes in an expression. */
function namesIn(expr: string): string[] {
  const found = expr.match(/\b(berth|process|nodejs)_\w+/g) ?? [];
  return found.map((name) => name.replace(/(?<=_seconds)_(bucket|sum|count)$/, ""));
}

/**
 * Labels that Prometheus adds to each series, the last one in a Kubernetes cluster; `le` is the label of
 * histogram buckets.
 */
const ADDED = ["instance", "job", "le", "namespace"];
/** Labels of series that only appear with an incident. */
const INCIDENT_LABELS = ["incident", "reason"];

function requireKnown(where: string, expr: string): void {
  const names = namesIn(expr);
  for (const name of names) assert.ok(metrics.has(name), `${where}: there is no metric ${name}`);
  const labels = [...expr.matchAll(/[{,]\s*(\w+)\s*[=!]~?"|by \(([\w, ]+)\)/g)].flatMap(
    ([, one, several = ""]) => (one === undefined ? several.split(/[ ,]+/) : [one]),
  );
  const known = new Set([
    ...ADDED,
    ...INCIDENT_LABELS,
    "event",
    ...names.flatMap((name) => [...(metrics.get(name) ?? [])]),
  ]);
  for (const label of labels) assert.ok(known.has(label), `${where}: no series has the label ${label}`);
}

test("alerts: valid for Prometheus, and each asks for metrics that there are", async () => {
  await run("promtool", ["check", "rules", join(ROOT, "deploy/observability/alerts.yaml")]);
  for (const { alert, expr } of rules) requireKnown(alert, expr.replace(/^up\{.*$/, ""));
});

test("alerts: each fires once, and none in an installation that is well", async () => {
  assert.deepEqual(
    Object.keys(FIRING),
    rules.map(({ alert }) => alert),
  );
  // Promtool compares annotations, too.
  const plain = rules.map((rule) => ({ ...rule, annotations: {} }));
  await writeFile(join(directory, "rules.yaml"), stringify({ groups: [{ name: "berth", rules: plain }] }));
  const tests = {
    rule_files: ["rules.yaml"],
    evaluation_interval: "1m",
    tests: [...Object.entries(FIRING).map(firing), healthy()],
  };
  await writeFile(join(directory, "tests.yaml"), stringify(tests));
  const { stdout } = await run("promtool", ["test", "rules", join(directory, "tests.yaml")]);
  assert.match(stdout, /SUCCESS/);
});

const inputs = (series: Readonly<Record<string, string>>) =>
  Object.entries(series).map(([name, values]) => ({ series: name, values }));

function firing([alertname, { series, at, labels }]: [string, AlertCase]) {
  const severity = rules.find(({ alert }) => alert === alertname)?.labels.severity;
  return {
    interval: "1m",
    input_series: inputs(series),
    alert_rule_test: [{ eval_time: at, alertname, exp_alerts: [{ exp_labels: { severity, ...labels } }] }],
  };
}

function healthy() {
  return {
    interval: "1m",
    input_series: inputs(HEALTHY),
    alert_rule_test: rules.map(({ alert }) => ({ eval_time: "40m", alertname: alert, exp_alerts: [] })),
  };
}

test("dashboard: each panel asks for metrics and labels that there are, in Prometheus's language", async () => {
  const { panels } = JSON.parse(await file("deploy/observability/dashboard.json"));
  const exprs: string[] = panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }: { expr: string }) => expr),
  );
  assert.ok(exprs.length > 20);
  for (const expr of exprs) requireKnown(expr, expr);
  const rules = exprs.map((expr, index) => ({
    record: `panel:${index}`,
    expr: expr.replaceAll("$__rate_interval", "5m").replaceAll("$instance", ".*"),
  }));
  await writeFile(join(directory, "panels.yaml"), stringify({ groups: [{ name: "panels", rules }] }));
  await run("promtool", ["check", "rules", join(directory, "panels.yaml")]);
});

test("Kubernetes: what runners are scaled by, in the chart and in both ways of the guide, is a metric that there is", async () => {
  const { autoscaling } = parse(await file("deploy/chart/values.yaml"));
  assert.ok(metrics.has(autoscaling.metric));
  const blocks = [...(await file("docs/guides/kubernetes.md")).matchAll(/^```yaml\n(.*?)^```$/gms)];
  const parsed = blocks.map(([, text = ""]) => parse(text));
  const rules = parsed.flatMap(({ externalRules = [] }) => externalRules);
  const triggers = parsed.flatMap(({ spec }) => spec?.triggers ?? []);
  assert.deepEqual([rules.length, triggers.length], [1, 1]);
  const exprs = [rules[0].seriesQuery, triggers[0].metadata.query];
  for (const expr of exprs) {
    assert.deepEqual(namesIn(expr), [autoscaling.metric]);
    requireKnown("the guide", expr);
  }
  const adapted = rules[0].metricsQuery
    .replace("<<.Series>>", autoscaling.metric)
    .replace("<<.LabelMatchers>>", 'namespace="berth"');
  assert.equal(adapted, triggers[0].metadata.query);
});

test("guide: names every metric and every alert, and no other; its settings of Prometheus are valid", async () => {
  const guide = await file("docs/guides/observability.md");
  const told = new Set(guide.match(/(?<=`)berth_\w+(?=`)/g));
  const real = [...metrics.keys()].filter((name) => name.startsWith("berth_"));
  assert.deepEqual([...told].sort(), real.sort());
  assert.deepEqual(
    guide.match(/(?<=^\| `)Berth\w+(?=` \|)/gm),
    rules.map(({ alert }) => alert),
  );
  const [, config = ""] = /```yaml\n([\s\S]*?)```/.exec(guide) ?? [];
  await writeFile(join(directory, "prometheus.yaml"), config.replaceAll("/etc/prometheus", directory));
  await writeFile(join(directory, "berth-alerts.yaml"), await file("deploy/observability/alerts.yaml"));
  await writeFile(join(directory, "berth-token"), "token");
  await run("promtool", ["check", "config", join(directory, "prometheus.yaml")]);
});
