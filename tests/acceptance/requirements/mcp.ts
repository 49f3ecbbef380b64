import type { Requirement } from "./requirement.ts";

export const mcpRequirements: readonly Requirement[] = [
  {
    id: "mcp-agent",
    source: "api 4",
    rule: "An agent names MCP servers and, for each, one mcp_toolset with which of its tools are enabled and whether their calls are run, asked about or refused; what does not fit together is 400 naming the field.",
  },
  {
    id: "mcp-call",
    source: "api 4",
    rule: "The agent calls tools of MCP servers; each call is an agent.mcp_tool_use with the server's and the tool's name, and an agent.mcp_tool_result with what the server answered.",
  },
  {
    id: "mcp-permission",
    source: "api 4",
    rule: "Calls of a server's tools wait for a user.tool_confirmation unless the toolset allows them; a tool that is not enabled is not there.",
  },
  {
    id: "mcp-credential",
    source: "api 4",
    rule: "A server gets the token that the session's vaults hold for its url, also a new one that replaced it; the token is in no event, log or answer.",
  },
  {
    id: "mcp-failure",
    source: "api 4",
    rule: "A server that cannot be reached, or refuses the credential, is a session.error of its own type; the session goes on without its tools, and has them in a later turn when it can.",
  },
  {
    id: "mcp-tools-fixed",
    source: "api 4",
    rule: "What a server offers is asked for once in the life of a session and stays the same in it; a session that rests holds no connection.",
  },
  {
    id: "mcp-network",
    source: "api 4",
    rule: "Under limited networking a server is called only where allow_mcp_servers says so or allowed_hosts names its host, and never on a private address that the operator does not list.",
  },
  {
    id: "mcp-interrupt",
    source: "api 4",
    rule: "An interrupt ends a call of an MCP server at once, and the session can go on.",
  },
];
