import { createHmac, randomUUID } from "node:crypto";
import { request } from "node:http";
import type { Discussion, Project } from "./github/projects.ts";
import type { Repositories } from "./repositories.ts";

/** A webhook of a repository, as GitHub has it. */
export interface Hook {
  /** Over plain HTTP, on this machine. */
  url: string;
  secret: string;
}

/** What a receiver answered. */
export interface Delivered {
  id: string;
  event: string;
  status: number;
}

/**
 * The webhooks of repositories. What happens is delivered in the shapes of GitHub's page "Webhook events and payloads",
 * signed as in "Validating webhook deliveries".
 */
export class Hooks {
  readonly delivered: Delivered[] = [];
  readonly #hooks = new Map<string, Hook[]>();
  readonly #repositories: Repositories;
  readonly #project: (repository: string) => Project;
  readonly #url: () => string;

  constructor(repositories: Repositories, project: (repository: string) => Project, url: () => string) {
    this.#repositories = repositories;
    this.#project = project;
    this.#url = url;
  }

  add(repository: string, hook: Hook): void {
    this.#hooks.set(repository, [...(this.#hooks.get(repository) ?? []), hook]);
  }

  has(repository: string): boolean {
    return this.#hooks.has(repository);
  }

  /** Labels an issue or a pull request, as somebody. */
  async label(repository: string, number: number, label: string, sender: string): Promise<Delivered[]> {
    const found = this.#numbered(repository, number);
    const event = found.kind === "issue" ? "issues" : "pull_request";
    const own =
      event === "issues"
        ? { issue: this.#object(repository, found) }
        : { pull_request: { ...this.#object(repository, found), ...headOf(repository, found) } };
    return await this.emit(repository, event, {
      action: "labeled",
      ...own,
      label: { name: label },
      sender: userOf(sender),
    });
  }

  /** Comments on an issue or a pull request, as somebody. */
  async comment(repository: string, number: number, body: string, author: string): Promise<Delivered[]> {
    const found = this.#numbered(repository, number);
    found.comments.push({ author, body, at: new Date() });
    const id = 99 + found.comments.length;
    const issue = { ...this.#object(repository, found), ...(found.kind !== "issue" && { pull_request: {} }) };
    const page = `${this.#url()}/${repository}/issues/${number}#issuecomment-${id}`;
    const comment = { id, body, user: userOf(author), html_url: page };
    return await this.emit(repository, "issue_comment", {
      action: "created",
      issue,
      comment,
      sender: userOf(author),
    });
  }

  /** Tells of branches that a push has changed. */
  async pushed(
    repository: string,
    before: readonly { name: string; sha: string }[],
    pusher: string,
  ): Promise<void> {
    for (const { name, sha } of await this.#repositories.branches(repository)) {
      const old = before.find((one) => one.name === name)?.sha ?? "0".repeat(40);
      if (old === sha) continue;
      const fields = { ref: `refs/heads/${name}`, before: old, after: sha, deleted: false };
      await this.emit(repository, "push", { ...fields, sender: userOf(pusher) });
    }
  }

  /** Delivers an event to the webhooks of a repository. */
  async emit(
    repository: string,
    event: string,
    payload: object,
    id: string = randomUUID(),
  ): Promise<Delivered[]> {
    const hooks = this.#hooks.get(repository) ?? [];
    const object = { full_name: repository, html_url: `${this.#url()}/${repository}` };
    const body = JSON.stringify({ ...payload, repository: object });
    const answers = await Promise.all(
      hooks.map(async ({ url, secret }) => {
        const signature = createHmac("sha256", secret).update(body).digest("hex");
        const status = await post(url, body, {
          ...{ "content-type": "application/json", "x-github-event": event, "x-github-delivery": id },
          "x-hub-signature-256": `sha256=${signature}`,
        });
        return { id, event, status };
      }),
    );
    this.delivered.push(...answers);
    return answers;
  }

  #numbered(repository: string, number: number): Discussion {
    const found = this.#project(repository).numbered(number);
    if (found === null) throw new Error(`There is no discussion ${number}.`);
    return found;
  }

  #object(repository: string, { number, title, body, author, ...rest }: Discussion): object {
    const path = rest.kind === "issue" ? "issues" : "pull";
    const html_url = `${this.#url()}/${repository}/${path}/${number}`;
    return { number, title, body, user: userOf(author), html_url };
  }
}

/** The head of a pull request, which the issue of a comment on it does not have. */
function headOf(repository: string, found: Discussion): object {
  if (found.kind === "issue") return {};
  const full_name = found.fromFork ? `stranger/${repository.split("/")[1]}` : repository;
  return { head: { ref: found.head, repo: { full_name } } };
}

function userOf(login: string): object {
  return { login, type: login.endsWith("[bot]") ? "Bot" : "User" };
}

async function post(url: string, body: string, headers: Record<string, string>): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const sent = request(url, { method: "POST", headers }, (response) => {
    response.resume();
    response.on("end", () => resolve(response.statusCode ?? 0));
  });
  sent.on("error", reject);
  sent.end(body);
  return await promise;
}
