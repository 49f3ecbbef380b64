import { memo } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { showUnseen } from "../format/visible-text.ts";
import { CodeBlock } from "./code-block.tsx";
import { Icon } from "./icon.tsx";

/**
 * Shows untrusted Markdown: raw HTML is shown as text, links go only to http, https and mailto, and images
 * become links. Loading an image would tell its host who reads it.
 */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <div className="markdown min-w-0">
      <ReactMarkdown
        remarkPlugins={PLUGINS}
        components={COMPONENTS}
        urlTransform={safeAddress}
        skipHtml={false}
      >
        {showUnseen(text)}
      </ReactMarkdown>
    </div>
  );
});

const PLUGINS = [remarkGfm];

function safeAddress(address: string): string {
  return /^(https?:\/\/|mailto:)/i.test(address) ? address : "";
}

const COMPONENTS: Components = {
  a: ({ href, children }) =>
    href ? (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
        {children}
      </a>
    ) : (
      <span>{children}</span>
    ),
  img: ({ src, alt }) =>
    typeof src === "string" && src !== "" ? (
      <a
        href={src}
        target="_blank"
        rel="noopener noreferrer nofollow"
        className="inline-flex items-center gap-1"
        title={src}
      >
        <Icon name="image" className="size-3.5" />
        {alt || src}
      </a>
    ) : (
      <span>{alt}</span>
    ),
  pre: ({ children }) => children,
  code: ({ className, children }) => {
    const text = String(children);
    const language = /language-(\S+)/.exec(className ?? "")?.[1];
    if (language === undefined && !text.includes("\n")) return <code>{text}</code>;
    return <CodeBlock code={text.replace(/\n$/, "")} language={language ?? "text"} />;
  },
  table: ({ children }) => (
    <div className="my-2 overflow-x-auto">
      <table>{children}</table>
    </div>
  ),
  input: ({ checked }) => (
    <input
      type="checkbox"
      checked={checked ?? false}
      readOnly
      disabled
      aria-label={checked ? "Done" : "To do"}
    />
  ),
};
