import { extname } from "node:path";

/** The first session is a program that also starts a git server. It has the same extension as this file. */
const PROGRAM = new URL(
  `../../../../../script/first-session/up${extname(import.meta.filename)}`,
  import.meta.url,
);

/**
 * Starts the service and a git server, and runs a first session as a demonstration. Returns the exit code.
 */
export async function up(args: string[]): Promise<number> {
  const program = (await import(PROGRAM.href)) as { up(args: string[]): Promise<number> };
  return await program.up(args);
}
