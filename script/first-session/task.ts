/** Returns the first session's task: steps as JSON for a rehearsal model, plain words for any other. */
export function task(model: string, repository: { path: string; branch: string }): string {
  return model.startsWith("rehearsal/") ? JSON.stringify({ steps: steps(repository) }) : request(repository);
}

function steps({ path, branch }: { path: string; branch: string }): unknown[] {
  return [
    { say: "I will look at the repository, create a branch, edit a file, check it, commit and push." },
    {
      tool: "Bash",
      input: { command: `cd ${path} && git log --oneline | head -3 && git checkout -b ${branch}` },
    },
    { tool: "Read", input: { file_path: `${path}/README.md`, limit: 5 } },
    {
      tool: "Edit",
      input: {
        file_path: `${path}/README.md`,
        old_string: "# Berth\n",
        new_string: "# Berth\n\n> An agent was here.\n",
      },
    },
    { tool: "Bash", input: { command: "git diff --stat && grep -c . README.md" } },
    {
      tool: "Bash",
      input: { command: "git commit -qam 'docs: an agent says hello' && git push origin HEAD" },
    },
    { say: `Done: ${branch} is pushed.` },
  ];
}

function request({ path, branch }: { path: string; branch: string }): string {
  return `The repository is at ${path}. Make a branch named ${branch}. In README.md add, right below the first heading, a short
friendly line that says that an agent was here. Run a command that shows your change, commit it, and push the branch to origin.`;
}
