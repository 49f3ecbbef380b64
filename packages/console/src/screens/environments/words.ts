import type { Environment } from "@berth/sdk";

type Networking = Environment["config"]["networking"];

/** Describes the networking of an environment in a few words. */
export function networkingWords(networking: Networking): string {
  if (networking.type === "unrestricted") return "Every public host";
  const { allowed_hosts: hosts, allow_package_managers, allow_mcp_servers } = networking;
  const parts = [
    hosts.length === 1 && hosts[0],
    hosts.length > 1 && `${hosts.length} hosts`,
    allow_package_managers && "package registries",
    allow_mcp_servers && "MCP servers",
  ].filter(Boolean);
  return parts.length === 0 ? "Only its repositories" : parts.join(", ");
}

/** Formats limits as `2 CPUs, 4 GiB, 10 GiB of disk`. */
export function limitWords({ cpus, memory_mb, disk_mb }: Environment["resources"]): string {
  const parts = [`${cpus} ${cpus === 1 ? "CPU" : "CPUs"}`, sizeWords(memory_mb)];
  if (disk_mb !== null) parts.push(`${sizeWords(disk_mb)} of disk`);
  return parts.join(", ");
}

/** Formats a size as `512 MiB` or `1.5 GiB`. */
export function sizeWords(mebibytes: number): string {
  if (mebibytes < 1024) return `${mebibytes} MiB`;
  return `${Number((mebibytes / 1024).toFixed(1))} GiB`;
}
