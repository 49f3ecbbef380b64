import { budgetOf, DOLLARS_FORM } from "../../shared/dollars.ts";
import { UsageError } from "../../shared/failure.ts";
import type { RunOptions } from "../run/run.ts";

/** Environment variables of a job's step. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** What a step asks for. */
export interface StepInputs {
  task: string;
  options: RunOptions;
}

/**
 * The inputs of a step, besides those of the service. Each is the variable `INPUT_NAME`, as action runners set
 * it, or else `BERTH_NAME`.
 */
type Input =
  | "task"
  | "agent"
  | "environment"
  | "model"
  | "title"
  | "repository"
  | "branch"
  | "connection"
  | "repository_token"
  | "wait"
  | "keep"
  | "budget";

/**
 * Reads the inputs of a step from its variables. Without `repository`, it is the job's own, at the branch or
 * tag that the job runs for; `none` is no repository.
 *
 * @throws UsageError
 */
export function stepInputs(variables: Variables): StepInputs {
  const given = (input: Input) => textOf(variables, input);
  const task = given("task");
  if (task === undefined) throw new UsageError("The input 'task' is empty. Say what the agent should do.");
  const [agent, environment, model] = [given("agent"), given("environment"), given("model")];
  const [title, connection] = [given("title"), given("connection")];
  const repository = repositoryOf(variables, given("repository"), given("branch"));
  const token = nameOf(variables, "repository_token");
  const dollars = given("budget");
  const budget = dollars === undefined ? undefined : budgetOf(dollars);
  if (budget === null) throw new UsageError(`The input 'budget' is '${dollars}'. ${DOLLARS_FORM}`);
  return {
    task,
    options: {
      ...(agent !== undefined && { agent }),
      ...(environment !== undefined && { environment }),
      // An agent has a model; the variable BERTH_MODEL is for the default one.
      ...(model !== undefined && agent === undefined && { model }),
      ...(title !== undefined && { title }),
      ...(budget !== undefined && { budget }),
      ...(repository !== null && {
        ...repository,
        ...(connection !== undefined && { connection }),
        ...(connection === undefined && token !== undefined && { tokenEnv: token }),
      }),
      detach: !flag("wait", given("wait"), true),
      keep: flag("keep", given("keep"), false),
    },
  };
}

function nameOf(variables: Variables, input: Input): string | undefined {
  return [`INPUT_${input.toUpperCase()}`, `BERTH_${input.toUpperCase()}`].find(
    (name) => (variables[name] ?? "").trim() !== "",
  );
}

function textOf(variables: Variables, input: Input): string | undefined {
  const name = nameOf(variables, input);
  return name === undefined ? undefined : variables[name]?.trim();
}

function flag(input: Input, value: string | undefined, byDefault: boolean): boolean {
  if (value === undefined) return byDefault;
  if (value === "true" || value === "false") return value === "true";
  throw new UsageError(`The input '${input}' must be 'true' or 'false'.`);
}

type Repository = Pick<RunOptions, "repo" | "branch" | "tag">;

function repositoryOf(
  variables: Variables,
  repo: string | undefined,
  branch: string | undefined,
): Repository | null {
  if (repo === "none") {
    if (branch !== undefined) throw new UsageError("The input 'branch' needs a repository.");
    return null;
  }
  const own = ownRepository(variables);
  if (repo !== undefined || own === null) {
    if (repo === undefined)
      throw new UsageError(
        "The job names no repository of its own. Set the input 'repository': a URL, org/name with a connection, or none.",
      );
    return { repo, ...(branch !== undefined && { branch }) };
  }
  return branch === undefined ? own : { repo: own.repo, branch };
}

/** Returns the repository that a job of GitHub, Gitea, Forgejo or GitLab runs for, and where in it. */
function ownRepository(variables: Variables): (Repository & { repo: string }) | null {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name, CI_PROJECT_URL: project } = variables;
  if (server && name) {
    const { GITHUB_HEAD_REF: head, GITHUB_REF_NAME: ref, GITHUB_REF_TYPE: type } = variables;
    return { repo: `${server}/${name}`, ...place(head || (type === "branch" && ref), type === "tag" && ref) };
  }
  if (!project) return null;
  const { CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: source, CI_COMMIT_BRANCH, CI_COMMIT_TAG } = variables;
  return { repo: project, ...place(source || CI_COMMIT_BRANCH, CI_COMMIT_TAG) };
}

function place(branch: string | false | undefined, tag: string | false | undefined): Repository {
  if (branch) return { branch };
  return tag ? { tag } : {};
}
