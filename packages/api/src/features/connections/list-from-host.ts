import type { Page } from "@berth/contract";
import { errors } from "@berth/store/errors";
import { GitHostError, type HostPage } from "@berth/store/git-hosts";
import { type CursorInput, cursorScope, type ListRequest, openCursor } from "../../request/page.ts";

/** Pages of the host that one request reads at most, so that a search in a long list ends in time. */
const MAX_HOST_PAGES = 10;

/**
 * Returns one page of a list that a git host has, in its order. A position is the number of the host's page,
 * and how many of its items have been returned. A page has fewer items than the limit if too few of the
 * host's pages match.
 *
 * @throws errors.gitHostFailed, errors.invalid for a cursor of another list or caller.
 */
export async function listFromHost<Item>(
  request: ListRequest,
  input: CursorInput,
  read: (page: number) => Promise<HostPage<Item>>,
  matches: (item: Item) => boolean = () => true,
): Promise<Page<Item>> {
  const { limit } = input.query;
  let [page, skipped] = positionOf(openCursor(request, input)?.position ?? "1 0");
  const data: Item[] = [];
  let next: string | null = null;
  for (let reads = 1; ; reads += 1) {
    const found = await asked(() => read(page));
    for (const [at, item] of found.items.entries()) {
      if (at < skipped || !matches(item)) continue;
      if (data.length === limit) {
        next = `${page} ${at}`;
        break;
      }
      data.push(item);
    }
    if (next !== null || found.next === null) break;
    if (data.length === limit || reads === MAX_HOST_PAGES) {
      next = `${found.next} 0`;
      break;
    }
    [page, skipped] = [found.next, 0];
  }
  return {
    data,
    next_page:
      next === null
        ? null
        : request.cursors.seal(cursorScope(request, input), { direction: "older", position: next }),
    // What a host lists has no ids here.
    first_id: null,
    last_id: null,
    has_more: next !== null,
  };
}

async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw error instanceof GitHostError ? errors.gitHostFailed(error.message) : error;
  }
}

function positionOf(position: string): [page: number, skipped: number] {
  const [page = 1, skipped = 0] = position.split(" ").map(Number);
  return [page, skipped];
}
