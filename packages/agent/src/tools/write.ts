import { z } from "zod";
import { defineTool, textResult } from "./tool.ts";
import { filesSeen, pathInput, serializeChanges, workspacePath, writeFile } from "./workspace-file.ts";

export const write = defineTool({
  name: "Write",
  description:
    "Writes a whole file, in place of what it held. Directories above it are made. A file that changed since you read it is not written the first time. To change a part of a file, use Edit.",
  input: z.strictObject({
    file_path: pathInput.describe("Absolute, or from /data."),
    content: z.string().describe("All that the file shall hold."),
  }),
  changesFiles: true,
  async run({ file_path, content }, context) {
    const path = workspacePath(file_path);
    const bytes = Buffer.from(content, "utf8");
    const sandbox = await context.sandbox();
    const written = await serializeChanges(sandbox, () =>
      writeFile(context, path, bytes, filesSeen(sandbox).get(path)),
    );
    if ("result" in written) return written.result;
    return textResult(`${written.created ? "Created" : "Overwrote"} ${path} (${bytes.length} bytes).`);
  },
});
