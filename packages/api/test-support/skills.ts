import { crc32, deflateRawSync } from "node:zlib";
import type { Caller, Reply } from "./http.ts";

/** An entry of a test archive. The defaults make a valid entry. */
export interface ZipEntry {
  name: string | Uint8Array;
  content?: string | Uint8Array;
  /** Unix file type and permissions. Default: a regular file, 0644. */
  mode?: number;
  /** General purpose bits of the zip format. */
  flags?: number;
  /** Overrides of what the archive states about the entry. */
  method?: number;
  announcedSize?: number;
  checksum?: number;
}

export function zip(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { local, central } = zipEntry(entry, offset);
    parts.push(local);
    directory.push(central);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, central, end]);
}

function zipEntry(entry: ZipEntry, offset: number): { local: Buffer; central: Buffer } {
  const name = Buffer.from(entry.name);
  const content = Buffer.from(entry.content ?? "");
  const packed = deflateRawSync(content);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(entry.flags ?? 0x800, 2);
  common.writeUInt16LE(entry.method ?? 8, 4);
  common.writeUInt32LE(entry.checksum ?? crc32(content), 10);
  common.writeUInt32LE(packed.length, 14);
  common.writeUInt32LE(entry.announcedSize ?? content.length, 18);
  common.writeUInt16LE(name.length, 22);
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 6);
  rest.writeUInt32LE(offset, 10);
  return {
    local: Buffer.concat([Buffer.from("PK\u0003\u0004"), common, name, packed]),
    central: Buffer.concat([Buffer.from("PK\u0001\u0002"), Buffer.from([20, 3]), common, rest, name]),
  };
}

export function manual(name: string, description = "Does things.", rest = "# How\n"): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n${rest}`;
}

export function postZip(caller: Caller, archive: Uint8Array, path = "/skills"): Promise<Reply> {
  return caller.form(path, [{ name: "file", filename: "skill.zip", content: archive }]);
}

/** Uploads a skill of two files. */
export function postSkill(caller: Caller, name: string, path = "/skills"): Promise<Reply> {
  return postZip(
    caller,
    zip([
      { name: `${name}/SKILL.md`, content: manual(name) },
      { name: `${name}/scripts/run.sh`, content: `#!/bin/sh\necho ${name}\n` },
    ]),
    path,
  );
}
