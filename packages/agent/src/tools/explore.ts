import { z } from "zod";
import { defineTool, failure, type Tool } from "./tool.ts";
import { pathInput, workspacePath } from "./workspace-file.ts";

export const explore: Tool = {
  ...defineTool({
    name: "Explore",
    description:
      "Answers a question about the files with an agent of its own, which reads and searches and changes nothing; you get only its answer, with files and lines. Use it where you would need several searches, and say in the question all that it has to know: it does not see this conversation. Several calls in one answer run side by side.",
    input: z.strictObject({
      question: z.string().trim().min(1).max(20_000),
      path: pathInput.optional().describe("File or folder to begin with."),
    }),
    async run({ question, path }, context) {
      if (context.explore === undefined) return failure("Explore cannot run here.");
      return await context.explore({ question, path: path === undefined ? null : workspacePath(path) });
    },
  }),
  endsItself: true,
};
