import { setImmediate } from "node:timers/promises";
import { type Packet, parsePackets, readPackets } from "./pkt-line.ts";
import { isObjectId, isRefName, type RemoteRefs } from "./remote-refs.ts";

export interface Capabilities {
  objectFormat: "sha1" | "sha256";
}

/** Parses a server's advertisement. Returns null unless the server speaks version 2 and can list refs. */
export function readCapabilities(bytes: Uint8Array): Capabilities | null {
  const packets = readPackets(bytes);
  if (packets === null) return null;
  const lines = linesBeforeFlush(withoutService(packets));
  if (lines === null || lines[0] !== "version 2") return null;
  const capabilities = new Map(lines.slice(1).map(keyAndValue));
  const objectFormat = capabilities.get("object-format") ?? "sha1";
  if (!capabilities.has("ls-refs") || (objectFormat !== "sha1" && objectFormat !== "sha256")) return null;
  return { objectFormat };
}

/** Number of lines that are parsed before the event loop continues, which takes a few milliseconds. */
const LINES_PER_TICK = 1_000;

/**
 * Parses the response to `ls-refs` with `symrefs`. Returns null for anything incomplete or invalid, without
 * parsing beyond the first error. Does not block the event loop, however long the list is.
 */
export async function readRefs(
  bytes: Uint8Array,
  { objectFormat }: Capabilities,
): Promise<RemoteRefs | null> {
  const objects = new Map<string, string>();
  let head: string | null | undefined;
  let ended = false;
  let count = 0;
  for (const packet of parsePackets(bytes)) {
    if (packet === null || ended || packet.type === "delimiter") return null;
    if (packet.type === "flush") {
      ended = true;
      continue;
    }
    if (++count % LINES_PER_TICK === 0) await setImmediate();
    const [object = "", name = "", ...attributes] = packet.text.replace(/\n$/, "").split(" ");
    if (!isObjectId(object) || object.length !== (objectFormat === "sha1" ? 40 : 64)) return null;
    if (name === "HEAD") {
      if (head !== undefined) return null;
      head =
        attributes.find((one) => one.startsWith("symref-target:"))?.slice("symref-target:".length) ?? null;
    } else {
      if (!isRefName(name) || objects.has(name)) return null;
      objects.set(name, object);
    }
  }
  if (!ended) return null;
  const isBranch = head?.startsWith("refs/heads/") && objects.has(head);
  return { head: isBranch ? (head ?? null) : null, objects };
}

/** Removes the service header of smart HTTP, which some servers omit in version 2. */
function withoutService(packets: readonly Packet[]): readonly Packet[] {
  const [first, second] = packets;
  const isService = first?.type === "line" && first.text.trimEnd() === "# service=git-upload-pack";
  return isService && second?.type === "flush" ? packets.slice(2) : packets;
}

/** Returns the lines; null when there is no flush, or something after it. */
function linesBeforeFlush(packets: readonly Packet[]): string[] | null {
  const lines: string[] = [];
  for (const [index, packet] of packets.entries()) {
    if (packet.type === "flush") return index === packets.length - 1 ? lines : null;
    if (packet.type !== "line") return null;
    lines.push(packet.text.replace(/\n$/, ""));
  }
  return null;
}

function keyAndValue(text: string): [key: string, value: string] {
  const at = text.indexOf("=");
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
