import { pathParams } from "../operations/command-words.ts";
import { type Example, examples } from "../operations/examples.ts";
import type { Operation } from "../operations/operation.ts";

/** The path of a noun's methods in the client, if not its name. */
const PLACES: Readonly<Record<string, string>> = {
  events: "sessions.events",
  sessionResources: "sessions.resources",
  workspace: "sessions.workspace",
  changes: "sessions.changes",
  pullRequests: "sessions.pullRequests",
  previews: "sessions.previews",
  confirmationRules: "sessions.confirmationRules",
  memories: "memoryStores.memories",
  memoryVersions: "memoryStores.versions",
  vaultCredentials: "vaults.credentials",
  deploymentTriggers: "deployments.triggers",
  adminOrganizations: "admin.organizations",
  adminUsers: "admin.users",
  adminServiceAccounts: "admin.serviceAccounts",
  adminTokens: "admin.tokens",
  adminOperatorTokens: "admin.operatorTokens",
  adminLimits: "admin.limits",
  adminRetention: "admin.retention",
  adminErasures: "admin.erasures",
  adminDeviceAuthorizations: "admin.deviceAuthorizations",
  adminHosts: "admin.hosts",
  adminSessions: "admin.sessions",
  adminAuditEntries: "admin.auditEntries",
};

/** Returns a TypeScript program that calls an operation. Ids and tokens are environment variables. */
export function sdkExample(operation: Operation): string {
  const example = examples[operation.id] ?? {};
  const [noun = "", verb = ""] = operation.id.split(".");
  const call = `client.${PLACES[noun] ?? noun}.${verb}(${argumentsOf(operation, example).join(", ")})`;
  const token = operation.credential === "none" ? "null" : 'process.env.BERTH_TOKEN ?? ""';
  return [
    ...(fileOf(example) === null ? [] : ['import { readFile } from "node:fs/promises";']),
    'import { Berth } from "@berth/sdk";',
    "",
    `const client = new Berth({ baseURL: process.env.BERTH_URL ?? "", token: ${token} });`,
    "",
    ...use(operation, call),
  ].join("\n");
}

function use({ responseKind }: Operation, call: string): string[] {
  if (responseKind === "page") return [`for await (const item of ${call}) console.log(item);`];
  if (responseKind === "stream") return [`for await (const frame of ${call}) console.log(frame);`];
  if (responseKind === "bytes")
    return [`const response = await ${call};`, "console.log(await response.text());"];
  return [`const result = await ${call};`, "console.log(result);"];
}

function argumentsOf(operation: Operation, example: Example): string[] {
  const ids = pathParams(operation).map((name) => variable(name.toUpperCase()));
  const file = fileOf(example);
  if (file !== null) {
    const content = `await readFile(${JSON.stringify(file)})`;
    const upload = `{ name: ${JSON.stringify(file)}, content: ${content} }`;
    if (operation.body === "bytes") return [...ids, content];
    // A skill consists of several files.
    return [...ids, operation.id.startsWith("skills.") ? `[${upload}]` : upload];
  }
  if (example.body !== undefined) return [...ids, literal(example.body)];
  return example.query === undefined ? ids : [...ids, filtersOf(example.query)];
}

/** Returns the file that an example sends, as its body or in a form; null if it sends none. */
function fileOf({ file, form }: Example): string | null {
  return file ?? form?.map((part) => part.replace(/^.*=@([^;]+).*$/, "$1"))[0] ?? null;
}

/** Formats `types[]=a&order=desc` as the SDK takes it: `{ types: ["a"], order: "desc" }`. */
function filtersOf(query: string): string {
  const all = new URLSearchParams(query);
  const fields = [...new Set(all.keys())].map((name) =>
    name.endsWith("[]")
      ? `${name.slice(0, -2)}: ${literal(all.getAll(name))}`
      : `${name}: ${numberOrText(all.get(name) ?? "")}`,
  );
  return `{ ${fields.join(", ")} }`;
}

function numberOrText(value: string): string {
  return /^\d+$/.test(value) ? value : JSON.stringify(value);
}

/** Formats a value in TypeScript's notation. A string that begins with `$` is an environment variable. */
function literal(value: unknown, indent = ""): string {
  if (typeof value === "string" && /^\$[A-Z_]+$/.test(value)) return variable(value.slice(1));
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item === "string"))
      return `[${value.map((item) => literal(item)).join(", ")}]`;
    return `[\n${value.map((item) => `${inner}${literal(item, inner)},\n`).join("")}${indent}]`;
  }
  const fields = Object.entries(value).map(([name, field]) => `${inner}${name}: ${literal(field, inner)},\n`);
  return `{\n${fields.join("")}${indent}}`;
}

function variable(name: string): string {
  return `process.env.${name} ?? ""`;
}
