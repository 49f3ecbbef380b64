import type { Requirement } from "./requirement.ts";

export const mcpRequirements: readonly Requirement[] = [
  {
    id: "mcp-agent",
    source: "api 4",
    rule: "An agent names MCP servers and, for each, one mcp_toolset that says which tools are enabled and whether their calls run, wait for confirmation or are denied; an inconsistent configuration is rejected with 400 naming the field.",
  },
  {
    id: "mcp-call",
    source: "api 4",
    rule: "The agent calls tools of MCP servers; each call is an agent.mcp_tool_use with the names of the server and the tool, and an agent.mcp_tool_result with the server's result.",
  },
  {
    id: "mcp-permission",
    source: "api 4",
    rule: "Calls of a server's tools wait for a user.tool_confirmation unless the toolset allows them; the model does not see tools that are not enabled.",
  },
  {
    id: "mcp-credential",
    source: "api 4",
    rule: "A server receives the token that the session's vaults hold for its url, including a replaced token; the token is in no event, log or response.",
  },
  {
    id: "mcp-failure",
    source: "api 4",
    rule: "A server that cannot be reached, or rejects the credential, causes a session.error of its own type; the session continues without its tools, and has them in a later turn once the server responds.",
  },
  {
    id: "mcp-tools-fixed",
    source: "api 4",
    rule: "The tools of a server are listed once for each session and do not change during it, unless the server says so or a client retries it; an idle session holds no connection.",
  },
  {
    id: "mcp-retry",
    source: "api 4",
    rule: "A server is asked for its tools again by the next turn after it said that they changed, after a provider rejected one of them, and after an update of the session with its name and retry; if it cannot be asked, the tools of before stay.",
  },
  {
    id: "mcp-resources",
    source: "api 4",
    rule: "A server with resources has a tool read_resource for those that results name; what a server says of its use when a session first asks it is in that session's system prompt, bounded and marked as its words.",
  },
  {
    id: "mcp-network",
    source: "api 4",
    rule: "Under limited networking a server is called only if allow_mcp_servers is set or allowed_hosts contains its host, and never at a private address that the operator has not listed.",
  },
  {
    id: "mcp-tools-left-out",
    source: "api 4",
    rule: "A tool that no provider would accept is brought into a form that they accept where that keeps its meaning, and calls reach the server with its own names; one that cannot be, and what exceeds the limits of a server's tools, is left out and named by one session.error, and the other tools work.",
  },
  {
    id: "mcp-secrets-masked",
    source: "api 4",
    rule: "A credential that a server echoes in its tools is in no table, event or request to a model: it is masked in descriptions and schemas, and a tool with it in its name is left out.",
  },
  {
    id: "mcp-long-result",
    source: "api 4",
    rule: "A result is cut in the log like that of other tools; all of it, up to 32 MiB, is in a file of the sandbox that the result names, where the agent has tools to read it.",
  },
  {
    id: "mcp-interrupt",
    source: "api 4",
    rule: "An interrupt ends an MCP call immediately, and the session can continue.",
  },
];
