import { uuidMillisecond } from "@berth/contract";
import { PACKAGE_HOSTS } from "@berth/sandbox";
import type { PlaceholderVariable } from "../credentials/session-credentials.ts";
import { isRepository, type RunMemoryStore, type RunResource } from "../inputs/resource-store.ts";
import type { RunSession } from "../inputs/session-inputs-store.ts";
import type { SessionSkill } from "../skills/skill-store.ts";

/**
 * Returns the section of the system prompt about the session. It stays the same, so that a provider's cache
 * is used, unless the environment's networking, workspace or delivery of secrets changes. Resources that fail
 * or are added after the first request (`firstRequestAt`) are reported with the result of a tool instead.
 */
export function describeWorkspace(
  session: RunSession,
  resources: readonly RunResource[],
  firstRequestAt: number | null,
  skills: readonly SessionSkill[] = [],
  placeholders: readonly PlaceholderVariable[] = [],
): string {
  const lines = [
    "Commands run in a sandbox of this session alone, as an unprivileged user, and start in /data.",
    "Files that you put below /mnt/session/outputs are saved for the user whenever you end your turn.",
    ...ephemeralLines(session),
    networkLine(session, resources),
    ...placeholderLines(placeholders),
    ...resources
      .filter((resource) => firstRequestAt === null || uuidMillisecond(resource.id) <= firstRequestAt)
      .map((resource) => resourceLine(resource, firstRequestAt)),
  ];
  return [...lines.map((line) => `- ${line}`), ...skillLines(skills)].join("\n");
}

function ephemeralLines({ workspace }: RunSession): string[] {
  if (workspace !== "ephemeral") return [];
  return [
    "When you have ended your turn, everything else on the disk may be deleted: push what is to last, or put it there.",
  ];
}

function placeholderLines(placeholders: readonly PlaceholderVariable[]): string[] {
  if (placeholders.length === 0) return [];
  const byHosts = Map.groupBy(placeholders, ({ hosts }) => someOf(hosts));
  const each = [...byHosts].map(
    ([hosts, ones]) => `${ones.map(({ name }) => name).join(", ")} (for ${hosts})`,
  );
  return [
    `These variables hold placeholders, not secrets: ${each.join("; ")}. In a request to those hosts the real value takes the placeholder's place on the way; nowhere else does it work, and printing or decoding it gives nothing.`,
  ];
}

const MAX_HOSTS = 8;

function someOf(hosts: readonly string[]): string {
  const more = hosts.length - MAX_HOSTS;
  return more <= 0 ? hosts.join(", ") : `${hosts.slice(0, MAX_HOSTS).join(", ")} and ${more} more hosts`;
}

function skillLines(skills: readonly SessionSkill[]): string[] {
  if (skills.length === 0) return [];
  return [
    "",
    "# Skills",
    "Each of these files tells how one kind of task is done; its directory, which is read-only, may hold scripts and texts for it. When a task is of that kind, read the file first and follow it.",
    ...skills.map(
      ({ name, description }) =>
        `- /mnt/skills/${name}/SKILL.md: ${description.trim().replaceAll(/\s+/g, " ")}`,
    ),
  ];
}

function resourceLine(resource: RunResource, firstRequestAt: number | null): string {
  if (resource.type === "file") return `A file of the user is at ${resource.mountPath}, read-only.`;
  if (resource.type === "memory_store") return storeLine(resource);
  const { url, mountPath, checkout } = resource;
  if (resource.failure !== null && failedBefore(resource.failedAt, firstRequestAt)) {
    return `The repository ${url} was to be at ${mountPath} but could not be cloned: ${resource.failure}`;
  }
  const at =
    checkout === null
      ? "its default branch"
      : checkout.type === "commit"
        ? `commit ${checkout.sha}`
        : `${checkout.type} ${checkout.name}`;
  return `The repository ${url} is a full clone at ${mountPath}, with ${at} checked out. git needs no login.`;
}

function storeLine({ name, mountPath, access, description, instructions }: RunMemoryStore): string {
  const use =
    access === "read_write"
      ? "What you write there is kept beyond this session, as text files of at most 100 KiB, and others with the store see it"
      : "It is read-only";
  const lines = [
    `The memory store "${name}" is at ${mountPath}. ${use}.`,
    ...(description ? [`Its description: ${description}`] : []),
    ...(instructions ? [`How to use it: ${instructions}`] : []),
  ];
  return lines.join("\n").replaceAll("\n", "\n  ");
}

function failedBefore(failedAt: Date | null, firstRequestAt: number | null): boolean {
  return failedAt !== null && (firstRequestAt === null || failedAt.getTime() <= firstRequestAt);
}

function networkLine({ networking }: RunSession, resources: readonly RunResource[]): string {
  if (networking.type === "unrestricted") {
    return "The internet can be reached; private networks cannot.";
  }
  const hosts = new Set(networking.allowed_hosts);
  for (const resource of resources) {
    if (isRepository(resource)) hosts.add(new URL(resource.url).host);
  }
  const registries = networking.allow_package_managers
    ? [`the public registries of package managers (${Object.keys(PACKAGE_HOSTS).join(", ")})`]
    : [];
  const reached = [...registries, ...[...hosts].sort()];
  return reached.length === 0
    ? "No host on the network can be reached."
    : `Of the network, only these hosts can be reached: ${reached.join(", ")}.`;
}
