import type { Task } from "../frame/task.ts";
import { codesOf, pages, writeCodes } from "./codes.ts";

const PAGES = 12;
const FOLDER = "/data/attached-text";
const RULES = Array.from({ length: 120 }, (_, index) =>
  index === 77
    ? "Rule 78: a code is followed by the sign ~v3"
    : `Rule ${index + 1}: a list has a margin of ${index} points`,
).join("\n");

/** A text that the user attached to the first message. */
export const ATTACHED_TEXT: Task = {
  name: "attached-text",
  files: pages(PAGES),
  compactAt: 9_000,
  compactions: 3,
  turns: [
    {
      says: [
        { type: "text", text: "Here are the rules for lists. Say that you have them." },
        { type: "document", title: "Rules", source: { type: "text", media_type: "text/plain", data: RULES } },
      ],
      reader: () => "I have them.",
    },
    {
      says: `Write the codes of ${FOLDER}/pages into codes.txt beside it, by the rules.`,
      reader(seen) {
        const sign = seen.told(/a code is followed by the sign (\S+)/);
        writeCodes(seen, FOLDER, "codes.txt", (code) => `${code}${sign}`);
        return "They are there.";
      },
    },
  ],
  hidden: `cmp codes.txt - <<'END'\n${codesOf(PAGES, (code) => `${code}~v3`)}END`,
};
