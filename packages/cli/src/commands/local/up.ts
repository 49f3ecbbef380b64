import { extname } from "node:path";

/** The first session is a program of its own, which starts a git server as well, and TypeScript or JavaScript as this file is. */
const PROGRAM = new URL(
  `../../../../../script/first-session/up${extname(import.meta.filename)}`,
  import.meta.url,
);

/** Starts the service and a git server, and runs a first session that shows what Berth does. Returns the exit code. */
export async function up(args: string[]): Promise<number> {
  const program = (await import(PROGRAM.href)) as { up(args: string[]): Promise<number> };
  return await program.up(args);
}
