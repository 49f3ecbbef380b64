import type { Client } from "../protocols/client.ts";

const MAX_QUERY_BYTES = 4096;
const MAX_UNREAD_BYTES = 65_536;
const IDLE_MS = 10_000;

/**
 * Serves DNS over TCP, in which each message is preceded by its length (RFC 7766). Closes the connection on
 * an invalid query, when the client does not read responses, and when it is idle.
 */
export function serveDnsOverTcp(client: Client, respond: (message: Buffer) => Buffer | null): void {
  let bytes = Buffer.alloc(0);
  client.on("error", () => client.destroy());
  client.setTimeout(IDLE_MS, () => client.destroy());
  client.on("end", () => client.end());
  client.on("data", (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    while (bytes.length >= 2 && !client.destroyed) {
      const length = bytes.readUInt16BE(0);
      const end = 2 + length;
      if (length <= MAX_QUERY_BYTES && bytes.length < end) return;
      const reply = length > MAX_QUERY_BYTES ? null : respond(bytes.subarray(2, end));
      bytes = bytes.subarray(end);
      if (reply === null || client.writableLength > MAX_UNREAD_BYTES) client.destroy();
      else client.write(Buffer.concat([lengthOf(reply), reply]));
    }
  });
}

function lengthOf({ length }: Buffer): Buffer {
  const prefix = Buffer.alloc(2);
  prefix.writeUInt16BE(length);
  return prefix;
}
