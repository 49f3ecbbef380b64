import { splitFrontMatter } from "../format/front-matter.ts";
import { CodeBlock } from "./code-block.tsx";
import { Markdown } from "./markdown.tsx";

/** Shows the text of a Markdown file, with its YAML front matter as code. */
export function MarkdownFile({ text }: { text: string }) {
  const { matter, body } = splitFrontMatter(text);
  return (
    <>
      {matter !== null && <CodeBlock code={matter} language="yaml" wraps className="mb-4" />}
      <Markdown text={body} />
    </>
  );
}
