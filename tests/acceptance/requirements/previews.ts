import type { Requirement } from "./requirement.ts";

/** Rules for ports of sandboxes that browsers open. */
export const previewRequirements: readonly Requirement[] = [
  {
    id: "preview-forward",
    source: "issue 29, 5",
    rule: "A preview forwards requests of every method, bodies of any size, streams and web sockets to the port, and the program's responses as they are.",
  },
  {
    id: "preview-own-origin",
    source: "issue 29, 5",
    rule: "Each preview has an origin of its own, at which nothing of the API or the console is served; the program sees the host and origin localhost:<port>, and its redirects there lead to the preview.",
  },
  {
    id: "preview-entry",
    source: "issue 29, 5",
    rule: "Only who has the preview's secret uses it: by a cookie of its origin alone, which its address gives, or as Authorization: Bearer. Others get 401, requests of other sites 403, and who may not see the session gets no address from the API.",
  },
  {
    id: "preview-secrets",
    source: "issue 29, 5",
    rule: "The program gets neither the preview's secret nor the viewer's address, and no cookie of the service; it can set no cookie for other hosts.",
  },
  {
    id: "preview-ends",
    source: "issue 29, 5",
    rule: "When a preview is deleted or expires, or its session ends, its open connections are closed and its address is 410.",
  },
  {
    id: "preview-asleep",
    source: "issue 29, 5",
    rule: "A preview opens no sandbox: 503 says that it is asleep, and 502 that nothing listens.",
  },
  {
    id: "preview-keeps",
    source: "issue 29, 5",
    rule: "While a preview is used and processes run, the sandbox stays open, at most BERTH_MAX_KEEP_ALIVE_SECONDS after the last command.",
  },
  {
    id: "preview-not-by-sandboxes",
    source: "issue 29, 5",
    rule: "No sandbox reaches a preview, also with an unrestricted network.",
  },
  {
    id: "preview-metrics",
    source: "docs/guides/observability.md",
    rule: "The metrics count requests and web sockets for previews by the class of their status, and those in progress; no status that a program chooses becomes a label of its own.",
  },
];
