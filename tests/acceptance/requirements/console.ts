import type { Requirement } from "./requirement.ts";

/** Rules for the console's screens. All are tested in a browser. */
export const consoleRequirements: readonly Requirement[] = [
  {
    id: "console-main-job",
    source: "seed 8",
    rule: "In the console alone a person signs in with a link, starts a session with a private repository, is told of a rejected token before it starts, follows the agent's edits and calls, and sees the commit that it pushed.",
  },
  {
    id: "console-answers",
    source: "seed 8",
    rule: "A call that waits is allowed with y and denied with n and a reason; while somebody types only a message of that letter alone answers. A custom tool gets its result by a form of its schema. The list and the page's title count sessions that wait.",
  },
  {
    id: "console-together",
    source: "seed 8",
    rule: "What one person writes, answers or renames in a session appears at once to everyone who has it open, and a call is answered once.",
  },
  {
    id: "console-mends",
    source: "seed 8",
    rule: "A lost connection is shown and mended by itself. After it, and after a restart of the service in the middle of a turn, each event is shown once, in order, and the sign-in still holds. What the console starts with and did not arrive is asked for again; if it never comes, the page says so, with a link to try again.",
  },
  {
    id: "console-hostile",
    source: "seed 8",
    rule: "Whatever texts are in a session, none runs, becomes an element, is loaded, or hides its direction; links lead to http, https and mailto only; and the page goes on working.",
  },
  {
    id: "console-screens",
    source: "seed 8",
    rule: "Each screen does its main act, and shows its state in the address.",
  },
  {
    id: "console-faults",
    source: "seed 8",
    rule: "A value that the service rejects is told at its field in the service's words; any other error has its request id. An address that leads nowhere says so.",
  },
  {
    id: "console-drafts",
    source: "seed 8",
    rule: "Nothing that is typed is lost by an error, a reload or a sign-in that ended. Secrets are kept nowhere in the browser, and after signing out nothing is.",
  },
  {
    id: "console-accessible",
    source: "seed 8",
    rule: "No screen violates a rule of axe, in the light and in the dark theme.",
  },
  {
    id: "console-narrow",
    source: "seed 8",
    rule: "No screen scrolls sideways at a width of 360 pixels.",
  },
  {
    id: "console-tool-output",
    source: "issue 26, 5",
    rule: "Below a running call stand the last lines of what it prints, at 390, 1024 and 1440 pixels and after a reload, and in their place the result once it is there.",
  },
  {
    id: "console-retry",
    source: "the console: overload",
    rule: "While a request to an overloaded model waits to be sent again, the session's page says when that is and counts down to it, also after it was loaded anew, until the request is answered or the turn ends.",
  },
  {
    id: "console-own-origin",
    source: "seed 8",
    rule: "No screen sends a request to another origin, or tries what the page's policy forbids.",
  },
];
