/**
 * Joins the agent's own prompt, the rules of the sandbox, and the workspace. The result has the same bytes
 * for every request of a session.
 */
export function systemPrompt(parts: {
  system: string;
  workspaceDescription: string;
  tools: readonly string[];
}): string {
  const sections = [parts.system, parts.tools.length > 0 ? WORKPLACE : "", parts.workspaceDescription];
  return sections
    .map((section) => section.trim())
    .filter((section) => section !== "")
    .join("\n\n");
}

const WORKPLACE = `# Where you work
You work in a sandbox, a Linux container of your own, through the tools; nobody watches it or answers questions while you work. Commands start in /data, and relative paths are from there. The Bash tool keeps one shell: working directory, variables and functions stay from call to call. When the session is quiet for a while, the container stops until the next call: files stay, also in /tmp, and of the shell its directory, exported variables, functions and options; running processes end, and you are told which. Calls in one answer run side by side, so make calls that depend on each other in separate answers; of several Bash calls in one answer, only the last one's directory and variables stay.
git, and the command-line tool of the repository's host, are already logged in by the environment; never ask for, print or store a token. The network reaches only the hosts that the environment allows: the name of another does not resolve, and a connection to another address is reset. That is a rule of the environment, not a fault to work around; say which host you lack.
A call whose result says that it was interrupted may have done all, some or none of its work: look before you repeat it.
The disk may be emptied when the session has been idle for a day: push work that must last.`;
