import type { Socket } from "node:net";

const longestQuestion = 4096;
const mostUnread = 65_536;
const silentMilliseconds = 10_000;

/**
 * Answers questions that come over TCP, each with its length before it (RFC 7766). Closes the connection at what is no
 * question, when answers are not read, and when it is silent.
 */
export function serveDnsOverTcp(client: Socket, answer: (message: Buffer) => Buffer | null): void {
  let bytes = Buffer.alloc(0);
  client.on("error", () => client.destroy());
  client.setTimeout(silentMilliseconds, () => client.destroy());
  client.on("end", () => client.end());
  client.on("data", (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    while (bytes.length >= 2 && !client.destroyed) {
      const length = bytes.readUInt16BE(0);
      const end = 2 + length;
      if (length <= longestQuestion && bytes.length < end) return;
      const reply = length > longestQuestion ? null : answer(bytes.subarray(2, end));
      bytes = bytes.subarray(end);
      if (reply === null || client.writableLength > mostUnread) client.destroy();
      else client.write(Buffer.concat([lengthOf(reply), reply]));
    }
  });
}

function lengthOf({ length }: Buffer): Buffer {
  const prefix = Buffer.alloc(2);
  prefix.writeUInt16BE(length);
  return prefix;
}
