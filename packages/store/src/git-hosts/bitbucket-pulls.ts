import { type HostAddress, objectOf, objectsIn, repositoryPath, textOf } from "./ask-host.ts";
import type { Check, FoundPull, HostRequests, PullDetails, PullSource, Review } from "./pull-requests.ts";
import { ifAllowed, pageOf, timeOf } from "./pull-requests.ts";

const LISTED = 10;
const PER_PAGE = 100;
const STATES = ["OPEN", "MERGED", "DECLINED", "SUPERSEDED"];

/** Pull requests by Bitbucket's API: checks are build statuses, and reviews are its participants. */
export class BitbucketPulls implements PullSource {
  readonly #at: HostAddress;
  readonly #requests: HostRequests;

  constructor(at: HostAddress, requests: HostRequests) {
    this.#at = at;
    this.#requests = requests;
  }

  async list(repository: string, branch: string): Promise<FoundPull[]> {
    const query = new URLSearchParams([
      ...STATES.map((state) => ["state", state]),
      ["q", `source.branch.name = "${branch.replaceAll(/["\\]/g, "\\$&")}"`],
      ["sort", "-updated_on"],
      ["pagelen", `${LISTED}`],
    ]);
    const path = `/repositories/${repositoryPath(repository)}/pullrequests?${query}`;
    const { body } = await this.#requests.askOf(repository, path);
    return objectsIn(objectOf(body).values).flatMap((found) => {
      const [source, destination] = [objectOf(found.source), objectOf(found.destination)];
      const updatedAt = timeOf(found.updated_on);
      const from = textOf(objectOf(source.repository).full_name);
      const isOwn = from?.toLowerCase() === repository.toLowerCase();
      const head = textOf(objectOf(source.branch).name);
      if (typeof found.id !== "number" || updatedAt === null || !isOwn || head !== branch) return [];
      const page = `${this.#at.origin}/${repository}/pull-requests/${found.id}`;
      return [
        {
          ...{ number: found.id, url: pageOf(this.#at, objectOf(objectOf(found.links).html).href) ?? page },
          ...{ title: textOf(found.title) ?? "", state: stateOf(found) },
          ...{ head: branch, base: textOf(objectOf(destination.branch).name) ?? "", mergeable: null },
          ...{ updatedAt, sha: textOf(objectOf(source.commit).hash) },
        },
      ];
    });
  }

  async details(repository: string, { number }: FoundPull): Promise<PullDetails> {
    const { ask } = this.#requests;
    const path = `/repositories/${repositoryPath(repository)}/pullrequests/${number}`;
    const [whole, statuses] = await Promise.all([
      ask(path),
      ifAllowed(ask(`${path}/statuses?pagelen=${PER_PAGE}`)),
    ]);
    const participants = objectsIn(objectOf(whole.body).participants);
    const { values, size } = objectOf(statuses?.body);
    return {
      checks: statuses === null ? null : objectsIn(values).map((one) => this.#check(one)),
      checkCount: Number(size ?? 0),
      reviews: participants.flatMap(toReview),
      isAwaited: participants.some(({ role, state }) => role === "REVIEWER" && textOf(state) === null),
    };
  }

  #check({ name, key, state, url, description }: Record<string, unknown>): Check {
    return {
      log: /\/pipelines\/(?:home#!\/)?results\/(\d+)/.exec(textOf(url) ?? "")?.[1] ?? null,
      summary: textOf(description),
      ...{ name: textOf(name) ?? textOf(key) ?? "build", url: pageOf(this.#at, url) },
      state: state === "SUCCESSFUL" ? "passed" : state === "INPROGRESS" ? "pending" : "failed",
    };
  }
}

function stateOf({ state, draft }: Record<string, unknown>): FoundPull["state"] {
  if (state === "OPEN") return draft === true ? "draft" : "open";
  return state === "MERGED" ? "merged" : "closed";
}

function toReview({ user, state, participated_on }: Record<string, unknown>): Review[] {
  const { nickname, display_name } = objectOf(user);
  const author = textOf(nickname) ?? textOf(display_name);
  if (author === null || (state !== "approved" && state !== "changes_requested")) return [];
  return [{ author, state, submittedAt: timeOf(participated_on) }];
}
