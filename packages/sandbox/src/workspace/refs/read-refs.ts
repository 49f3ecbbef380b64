import { setImmediate } from "node:timers/promises";
import { type Packet, packetsOf, readPackets } from "./pkt-line.ts";
import { isObjectId, isRefName, type RemoteRefs } from "./remote-refs.ts";

/** What a server that speaks version 2 can do, as far as it matters here. */
export interface Capabilities {
  objectFormat: "sha1" | "sha256";
}

/** Null for a server that does not speak version 2, does not list refs by it, or says something else. */
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

/** Lines that are read before others have their turn: a few milliseconds. */
const AT_ONCE = 1_000;

/**
 * The answer to `ls-refs` with `symrefs`. Null for anything that is not one, whole and by the rules; what comes after the first
 * thing that is none is not read. However long it is, the process does other work meanwhile.
 */
export async function readRefs(
  bytes: Uint8Array,
  { objectFormat }: Capabilities,
): Promise<RemoteRefs | null> {
  const objects = new Map<string, string>();
  let head: string | null | undefined;
  let ended = false;
  let count = 0;
  for (const packet of packetsOf(bytes)) {
    if (packet === null || ended || packet.type === "delimiter") return null;
    if (packet.type === "flush") {
      ended = true;
      continue;
    }
    if (++count % AT_ONCE === 0) await setImmediate();
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

/** What comes before the list of a smart server over http, and is left out by some in version 2. */
function withoutService(packets: readonly Packet[]): readonly Packet[] {
  const [first, second] = packets;
  const isService = first?.type === "line" && first.text.trimEnd() === "# service=git-upload-pack";
  return isService && second?.type === "flush" ? packets.slice(2) : packets;
}

/** Null where there is no flush, or something after it. */
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
