import type { Sandbox } from "../interface/sandbox.ts";
import { quote } from "../scripts/quote.ts";
import { perlText } from "../scripts/read-script.ts";
import type { InspectOptions } from "./inspect-command.ts";

const READ = perlText("inspect/read-files.pl");
const [WHOLE, NOT_READ] = [0x3d, 0x21];

export interface WantedFile {
  /** Path relative to the directory, in the bytes of the filesystem. */
  path: Buffer;
  /** Number of bytes to read. */
  size: number;
}

export interface FilesRead {
  /**
   * The first bytes of each file, in order; null for a file that is not regular, is shorter, or cannot be
   * read. Has fewer entries than files when the sandbox did not report all; without perl it reports none.
   */
  contents: (Buffer | null)[];
  /** Whether the command ended by itself; otherwise the sandbox ended, or the command was stopped. */
  ended: boolean;
}

/**
 * Reads small files below a directory with one command. All requested bytes are in memory at once. The output
 * is as untrusted as the sandbox, which can claim any bytes for a file but nothing else.
 */
export async function readFiles(
  sandbox: Pick<Sandbox, "run">,
  directory: string,
  files: readonly WantedFile[],
  { timeoutMs, signal }: InspectOptions,
): Promise<FilesRead> {
  const { ended, output, omittedBytes } = await sandbox.run({
    // Without exec, because the outer shell would otherwise report in the output that perl was killed.
    script: `exec 2>/dev/null; perl -e ${quote(READ)} ${quote(directory)}; exit`,
    stdin: Buffer.concat(files.map(({ path, size }) => Buffer.concat([Buffer.from(`${size} `), path, NUL]))),
    cwd: "/",
    environment: { LC_ALL: "C" },
    maxOutputBytes: files.reduce((total, { size }) => total + 1 + size, 0),
    timeoutMs,
    ...(signal === undefined ? {} : { signal }),
  });
  const contents = omittedBytes > 0 ? [] : parseContents(Buffer.from(output), files);
  return { contents, ended: ended === "exit" };
}

const NUL = Buffer.alloc(1);

/**
 * Parses the program's output. Output that ends too early gives the complete files; any other invalid output
 * gives none.
 */
export function parseContents(output: Buffer, files: readonly Pick<WantedFile, "size">[]): (Buffer | null)[] {
  const contents: (Buffer | null)[] = [];
  let at = 0;
  for (const { size } of files) {
    const next = at + 1 + (output[at] === WHOLE ? size : 0);
    if (next > output.length || (output[at] !== WHOLE && output[at] !== NOT_READ)) break;
    contents.push(output[at] === WHOLE ? output.subarray(at + 1, next) : null);
    at = next;
  }
  const isCut = contents.length < files.length && output[at] === WHOLE;
  return at === output.length || isCut ? contents : [];
}
