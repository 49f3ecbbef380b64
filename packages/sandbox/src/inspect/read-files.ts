import type { Sandbox } from "../interface/sandbox.ts";
import { quote } from "../scripts/quote.ts";
import { perlText } from "../scripts/read-script.ts";
import type { InspectOptions } from "./inspect-command.ts";

const READ = perlText("inspect/read-files.pl");
const [WHOLE, NOT_READ] = [0x3d, 0x21];

export interface WantedFile {
  /** Relative to the directory, in the bytes of the filesystem. */
  path: Buffer;
  /** How many bytes of it are wanted. */
  size: number;
}

export interface FilesRead {
  /**
   * For each file, in order, its first bytes; null when it is no regular file of as many, or cannot be read. There are fewer than files
   * when the sandbox did not tell of all, as one without perl tells of none.
   */
  contents: (Buffer | null)[];
  /** Whether the command ended by itself: else the sandbox ended, or the time was over. */
  ended: boolean;
}

/**
 * Reads small files below a directory with one command. All that is wanted is in memory at once. What it says is as trustworthy as the
 * sandbox: that a file has these bytes, and nothing else.
 */
export async function readFiles(
  sandbox: Pick<Sandbox, "run">,
  directory: string,
  files: readonly WantedFile[],
  { timeoutMs, signal }: InspectOptions,
): Promise<FilesRead> {
  const { ended, output, omittedBytes } = await sandbox.run({
    // Without exec: else the outer shell would say among the output that perl was killed.
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

/** Of output that ends too early, what was whole before. Of anything else that the program does not print: nothing. */
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
