import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { render } from "./evaluate.ts";
import { parseTemplate, type Template } from "./parse-template.ts";

export const CHART = join(import.meta.dirname, "../../deploy/chart");
/** The release of `helm install berth deploy/chart --namespace berth`. */
export const RELEASE = { Name: "berth", Namespace: "berth", Service: "Helm" };

// biome-ignore lint/suspicious/noExplicitAny: objects of a cluster are read as they are
export type ClusterObject = any;
export type Values = Record<string, unknown>;

/**
 * Renders the objects of `helm template berth deploy/chart --namespace berth`, without Helm. It supports only
 * the template syntax that the chart uses, and throws for any other.
 *
 * @param values merged over those of values.yaml.
 * @param release its name, namespace and manager.
 * @throws an error that names the template.
 */
export function renderChart(values: Values, release = RELEASE): ClusterObject[] {
  return [...renderFiles(values, release)].flatMap(([name, text]) =>
    name.endsWith(".yaml") ? objectsOf(name, text) : [],
  );
}

/** Returns the rendered texts by template name. */
export function renderFiles(values: Values, release = RELEASE): Map<string, string> {
  const chart = parse(readFileSync(join(CHART, "Chart.yaml"), "utf8"));
  const data = {
    Values: merged(defaultValues(), values),
    Release: release,
    Chart: { Name: chart.name, Version: chart.version, AppVersion: chart.appVersion },
  };
  const templates = readTemplates();
  const named = new Map([...templates.values()].flatMap(({ defined }) => [...defined]));
  const texts = [...templates].filter(([name]) => !name.startsWith("_"));
  return new Map(texts.map(([name, { body }]) => [name, inTemplate(name, () => render(body, named, data))]));
}

export function defaultValues(): Values {
  return parse(readFileSync(join(CHART, "values.yaml"), "utf8"));
}

/** Merges values: maps are merged, everything else is replaced. */
export function merged(under: Values, over: Values): Values {
  const keys = new Set([...Object.keys(under), ...Object.keys(over)]);
  return Object.fromEntries(
    [...keys].map((key) => {
      const [low, high] = [under[key], over[key]];
      if (!(key in over)) return [key, low];
      return [key, isMap(low) && isMap(high) ? merged(low, high) : high];
    }),
  );
}

function isMap(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readTemplates(): Map<string, Template> {
  const directory = join(CHART, "templates");
  return new Map(
    readdirSync(directory)
      .sort()
      .map((name) => [
        name,
        inTemplate(name, () => parseTemplate(readFileSync(join(directory, name), "utf8"))),
      ]),
  );
}

function objectsOf(name: string, text: string): ClusterObject[] {
  return inTemplate(name, () =>
    [...parseAllDocuments(text)].flatMap((document) => {
      if (document.errors.length > 0) throw new Error(document.errors.join("\n"));
      const object = document.toJS();
      return object === null ? [] : [object];
    }),
  );
}

function inTemplate<T>(name: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}
