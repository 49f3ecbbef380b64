import { pathParams } from "./command-words.ts";
import { type Example, examples } from "./examples.ts";
import type { Operation } from "./operation.ts";

/** Returns a command that calls an operation, for a shell with `berth` on its path and the ids set. */
export function cliExample(operation: Operation, words: readonly string[]): string {
  const admin = ADMIN_COMMANDS[operation.id];
  if (admin !== undefined) return `berth admin ${admin}`;
  const example = examples[operation.id] ?? {};
  const ids = pathParams(operation).map((name) => `$${name.toUpperCase()}`);
  const command = ["berth", ...words, ...ids, ...flags(operation, example)].join(" ");
  if (example.body === undefined || operation.id.endsWith(".share")) return command;
  return `${command} --input - <<JSON\n${JSON.stringify(example.body, null, 2)}\nJSON`;
}

function flags({ id }: Operation, { body = {}, query = "", form, file }: Example): string[] {
  if (file !== undefined) return [file];
  if (form !== undefined) return [id === "files.upload" ? fileOf(form) : "."];
  const fields = query.split("&").filter((field) => field !== "");
  // These commands have flags of their own.
  if (id.endsWith(".share")) return Object.entries(body).map(([name, value]) => `--${name} ${value}`);
  if (id.endsWith(".unshare")) return fields.map((field) => `--${field.replace("=", " ")}`);
  if (id === "sessions.list") return ["--status", ...fields.map((field) => field.split("=")[1] ?? "")];
  if (id === "usage.get") return fields.map((field) => `--${field.replace("=", " ").replace("_", "-")}`);
  const limit = fields.find((field) => field.startsWith("limit="));
  const filters = fields.filter((field) => field !== limit).map((field) => `'${field}'`);
  return [
    ...(limit === undefined ? [] : ["--limit", limit.slice("limit=".length)]),
    ...(filters.length === 0 ? [] : ["-q", ...filters]),
  ];
}

/** Returns `notes.txt` for the form `file=@notes.txt`. */
function fileOf([part = ""]: readonly string[]): string {
  return part.slice(part.indexOf("@") + 1);
}

/** The operator's commands. They take names where the API takes ids, and may combine operations. */
const ADMIN_COMMANDS: Readonly<Record<string, string>> = {
  "adminOrganizations.create": "organizations create acme",
  "adminOrganizations.list": "organizations list",
  "adminOrganizations.update": 'organizations rename acme "Acme Inc"',
  "adminUsers.create": "users create ada@example.com --org acme --role admin",
  "adminUsers.list": "users list --org acme",
  "adminUsers.update": "users set-role ada@example.com member",
  "adminUsers.disable": "users disable ada@example.com --yes",
  "adminUsers.enable": "users enable ada@example.com",
  "adminServiceAccounts.create": "service-accounts create ci --org acme",
  "adminServiceAccounts.list": "service-accounts list --org acme",
  "adminServiceAccounts.disable": "service-accounts disable ci --org acme --yes",
  "adminServiceAccounts.enable": "service-accounts enable ci --org acme",
  "adminTokens.create": "tokens create --user ada@example.com --name first --scopes sessions:read",
  "adminTokens.list": "tokens list --user ada@example.com",
  "adminTokens.delete": "tokens revoke $TOKEN_ID --yes",
  "adminOperatorTokens.create": "operator-tokens create provisioning",
  "adminOperatorTokens.list": "operator-tokens list",
  "adminOperatorTokens.delete": "operator-tokens revoke $OPERATOR_TOKEN_ID --yes",
  "adminLimits.get": "limits get --org acme",
  "adminLimits.update": "limits set --org acme open_sessions=50 requests_per_second=none",
  "adminRetention.get": "retention get --org acme",
  "adminRetention.update": "retention set --org acme sessions=90 files=none --yes",
  "adminErasures.create": "erase --user ada@example.com --yes",
  "adminErasures.list": "erasures list",
  "adminErasures.get": "erasures get $ERASURE_ID",
  "adminDeviceAuthorizations.lookup": "login approve $USER_CODE --user ada@example.com",
  "adminDeviceAuthorizations.approve": "login approve $USER_CODE --user ada@example.com --yes",
  "adminDeviceAuthorizations.deny": "login deny $USER_CODE --yes",
  "adminHosts.list": "hosts list",
  "adminHosts.drain": "hosts drain $HOST_ID",
  "adminHosts.resume": "hosts drain $HOST_ID --cancel",
  "adminHosts.forget": "hosts forget $HOST_ID --force --yes",
  "adminSessions.release": "sessions release $SESSION_ID",
  "adminAuditEntries.list": "audit --operation agents --limit 10",
  "adminAuditEntries.export": "audit --operation agents --format csv",
};
