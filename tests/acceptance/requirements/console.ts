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
    id: "console-sharing",
    source: "sharing",
    rule: "An owner shares an object from its page; those who may see it open its address, and others are told whom to ask.",
  },
  {
    id: "console-together",
    source: "seed 8",
    rule: "What one person writes, answers or renames in a session appears at once to everyone who has it open, and a call is answered once.",
  },
  {
    id: "console-decisions",
    source: "decisions with names",
    rule: "A waiting call can be allowed, allowed with all others that wait, allowed with later ones like it, or denied with a reason; the call shows who decided, when and from where, and who answers second reads who was first. The rules of a session are listed and can be revoked.",
  },
  {
    id: "console-comments",
    source: "from diff to merge",
    rule: "Whoever may write to a session comments on lines of its changes, by mouse and by keyboard. Comments are kept until they are sent, as one message that names file, line and text of each.",
  },
  {
    id: "console-patch",
    source: "from diff to merge",
    rule: "The changes in a repository can be saved as a patch that git apply takes, and what it cannot hold is named with the reason.",
  },
  {
    id: "console-branch",
    source: "from diff to merge",
    rule: "The name of a repository's branch can be copied, and its page at the host is linked if the host's kind is known by its name or a connection.",
  },
  {
    id: "console-restore",
    source: "from diff to merge",
    rule: "Who may write to a session can have a changed file restored: after a confirmation the agent is asked to, and the server itself changes nothing.",
  },
  {
    id: "console-pull-request",
    source: "from diff to merge",
    rule: "Who may write to a session asks its agent, after a confirmation, to push its commits and to open a pull request with a title and a body of its own.",
  },
  {
    id: "console-pull-request-state",
    source: "from diff to merge",
    rule: "The changes of a repository show the pull requests of its branches with state, checks and reviews, as the host said when; they are refreshed while they are shown, and by hand. Who may write asks the agent to fix failing checks, or to answer reviews, by a message that is shown before.",
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
    id: "console-administration",
    source: "issue 30",
    rule: "In the console an admin adds users, also with a first token, and sets their role, disables, enables and erases them; manages service accounts, tokens, name, default visibility, retention, signing and connections, sees limits and receipts, and filters and exports the audit log. What cannot be undone is asked first, and errors are one sentence. Others do not see it in the navigation, and are told whom to ask.",
  },
  {
    id: "console-deployments",
    source: "deployments",
    rule: "In the console, by mouse or by keyboard, a deployment is made and changed with a preview of its next runs, run, paused, resumed, shared and archived; its page lists its runs with their sessions or errors, and a session leads to its deployment.",
  },
  {
    id: "console-team",
    source: "issue 30",
    rule: "In the console alone, by mouse or by keyboard, an admin invites two people, connects the organization to its git host and gives it an agent and an environment; one starts a session on a repository of it and shares it; the other comments on a line and allows the agent's calls; the agent pushes and opens a pull request, whose merge is seen; each is told on home what waits and what is done; and the admin reads who did what.",
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
    id: "console-desk",
    source: "desk",
    rule: "Home shows, by last activity, what waits for the user and for what, what failed and why, what is done and not seen, and what runs. Mouse and keys open a session and mark it, or all. Showing a session marks it as seen by this user, unless the page is hidden. Lists and the navigation show what is unseen.",
  },
  {
    id: "console-notifications",
    source: "desk",
    rule: "After a click the browser notifies of each outcome on the user's desk that nobody looks at, once over all tabs, with the session's title and state and nothing else; a click opens the session. Where the browser forbids it, a sentence says so.",
  },
  {
    id: "console-own-origin",
    source: "seed 8",
    rule: "No screen sends a request to another origin, or tries what the page's policy forbids.",
  },
];
