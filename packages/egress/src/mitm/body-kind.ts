import type { Encoding } from "./inject.ts";

/** How text stands in a body of this type; null for a body that is not text. */
export function textEncoding(contentType: string | undefined): Encoding | null {
  const type = (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (/^application\/(?:[\w.-]+\+)?json$|^application\/(?:x-)?(?:ndjson|jsonlines)$/.test(type))
    return "json";
  if (type === "application/x-www-form-urlencoded") return "percent";
  if (/^(?:application|text|image)\/(?:[\w.-]+\+)?xml$/.test(type)) return "xml";
  const isPlain = /^text\/|^multipart\/form-data$|^application\/(?:graphql|javascript|x-yaml|yaml|toml)$/;
  return isPlain.test(type) ? "plain" : null;
}
