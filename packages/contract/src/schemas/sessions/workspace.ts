import { z } from "zod";
import { timestamp } from "../../conventions/fields.ts";
import { pageOf, pageQuery } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";

/** Directories of a sandbox that can be listed and read, besides the mount paths of resources. */
export const WORKSPACE_DIRECTORIES = [
  "/data",
  "/home/agent",
  "/tmp",
  "/var/tmp",
  "/mnt/memory",
  "/mnt/session/outputs",
  "/mnt/session/uploads",
  "/mnt/skills",
] as const;

const DIRECTORIES = WORKSPACE_DIRECTORIES.map((directory) => `\`${directory}\``).join(", ");

/** A path of any file in a sandbox: unlike mount paths it may be long, and have control characters. */
export const workspacePath = z
  .string()
  .superRefine((path, context) => {
    const message = workspacePathError(path);
    if (message !== null) context.addIssue({ code: "custom", message });
  })
  .meta({
    maxLength: 4095,
    examples: ["/data/notes.txt"],
    description: `Absolute path in the sandbox, without empty, \`.\` and \`..\` segments, at or below one of these: ${DIRECTORIES}, and the mount paths of the session's resources. No segment may be a symbolic link.`,
  });

export const workspaceEntry = z
  .strictObject({
    type: z.enum(["file", "directory", "symlink", "fifo", "socket", "device", "other"]),
    name: z.string().meta({
      description:
        "One component of a path: not empty, `.` or `..`, and without `/` and NUL. The agent chooses all other characters: check the name before you use it as a path on another system, such as Windows. Bytes that are not UTF-8 are U+FFFD.",
    }),
    path: z.string().nullable().meta({
      description:
        "The path with which it can be requested. Null when the name is not UTF-8: then it cannot be requested.",
    }),
    size_bytes: z.int().nullable().meta({ description: "Null unless it is a file." }),
    mode: z.string().meta({ description: "Permissions in octal, such as `0644`." }),
    modified_at: timestamp,
    target: z
      .string()
      .nullable()
      .meta({ description: "The target of a symbolic link, as written in it; else null." }),
  })
  .meta({ id: "WorkspaceEntry" });
export type WorkspaceEntry = z.output<typeof workspaceEntry>;

const sessionParams = z.strictObject({ session_id: z.string() });

export const workspaceRoutes = {
  list: defineRoute(operations.workspace.list, {
    params: sessionParams,
    query: z.strictObject({ ...pageQuery, path: workspacePath.default("/data") }),
    response: pageOf(workspaceEntry),
  }),
  content: defineRoute(operations.workspace.content, {
    params: sessionParams,
    query: z.strictObject({ path: workspacePath }),
    response: z.string().meta({ format: "binary" }),
  }),
};

function workspacePathError(path: string): string | null {
  if (!path.startsWith("/")) return "Field '{field}' must be an absolute path.";
  if (Buffer.byteLength(path) > 4095) return "Field '{field}' must be at most 4095 bytes long.";
  // A lone surrogate cannot be encoded in a file name.
  if (path.includes("\0") || !path.isWellFormed())
    return "Field '{field}' must not contain a NUL character or a lone surrogate.";
  const segments = path.slice(1).split("/");
  if (segments.some((segment) => segment === "" || segment === "." || segment === ".."))
    return "Field '{field}' must not have empty, '.' or '..' segments.";
  if (segments.some((segment) => Buffer.byteLength(segment) > 255))
    return "Field '{field}' must not have a segment longer than 255 bytes.";
  return null;
}
