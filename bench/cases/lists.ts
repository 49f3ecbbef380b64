import { randomUUID } from "node:crypto";
import { openWritePool } from "@berth/store/db";
import type { Api } from "../../tests/acceptance/harness/api.ts";
import type { Berth } from "../../tests/acceptance/harness/berth.ts";
import { makeSession } from "../../tests/acceptance/harness/fixtures.ts";
import { databaseUrlOf } from "../../tests/acceptance/harness/shared-database.ts";
import { waitUntil } from "../../tests/acceptance/harness/wait-until.ts";
import { launchBrowser, visit } from "../../tests/console/harness/browser.ts";
import { signIn } from "../../tests/console/harness/console.ts";
import { type Figure, median, percentile, times } from "../figure.ts";

const SESSIONS = 100_000;
/** Sessions that are stored at once: a statement has ten seconds. */
const BATCH = 2_500;
const ROUNDS = 15;
const VISITS = 5;
/** Words of sessions: `rare` of one in 10,000, `half` of every second, `all` of each, and fifty out of 5,000 others. */
const WORDS = `case when number % 10000 = 0 then 'rare ' else '' end || case when number % 2 = 0 then 'half ' else '' end || 'all '
  || (select string_agg('word' || (number * 7919 + place * 104729) % 5000, ' ') from generate_series(1, 50) as place)`;

/**
 * Measures lists and searches of 100,000 sessions of one user, by HTTP, for the user and for an admin of the organization.
 * The peer is the list of a user with one session.
 */
export async function listFigures(berth: Berth, api: Api): Promise<Figure[]> {
  await makeSession(api, { title: "Session" });
  // The copies take the words that every search begins with from this session.
  await waitUntil(
    async () => (await api.ok("GET", "/sessions?sort=updated_at&search=session")).data.length === 1,
    () => "The words of the first session are not read.",
  );
  const admin = await berth.client({ user: "admin@example.com", role: "admin" });
  const peer = await berth.client({ user: "peer@example.com" });
  await makeSession(peer);
  await fill(berth);
  const peers = await measure(peer, "limit=20");
  const figure = async (as: Api, what: string, query: string): Promise<Figure> => {
    const durations = await measure(as, `limit=20${query}`);
    return {
      what,
      ...{ peer: "the list of a user with one session", peerValue: median(peers), unit: "ms" },
      ...{ value: median(durations), p95: percentile(durations, 0.95), limit: 50 },
    };
  };
  const figures: Figure[] = [];
  for (const [who, as] of [
    ["its owner", api],
    ["an admin", admin],
  ] as const)
    for (const [what, query] of [
      ["first page", ""],
      ["first page by last activity", "&sort=updated_at"],
      ["home: what is not seen", "&sort=updated_at&mine=true&unseen=true"],
      ["home: what failed", "&sort=updated_at&mine=true&outcomes[]=retries_exhausted"],
      ["search: a word of 10 sessions", "&sort=updated_at&search=rare"],
      ["search: words of 50,000 and of all", "&sort=updated_at&search=half%20all"],
      ["search: words that no session has together", "&sort=updated_at&search=rare%20word4999%20word4998"],
      ["search: one letter, with which all words begin", "&sort=updated_at&search=w"],
    ] as const)
      figures.push(await figure(as, `${what}, for ${who} of ${SESSIONS} sessions`, query));
  figures.push(await consoleFigure(berth, api));
  return figures;
}

const measure = (api: Api, query: string) =>
  times(ROUNDS, async () => void (await api.ok("GET", `/sessions?${query}`)));

async function consoleFigure(berth: Berth, api: Api): Promise<Figure> {
  const browser = await launchBrowser();
  try {
    const visited = await visit(browser, berth.url);
    await visited.page.goto(`${berth.url}/console/`);
    await signIn(visited, api.token ?? "");
    const readable = async (url: string, selector: string) => {
      await visited.page.goto(url, { waitUntil: "commit" });
      await visited.page.waitForSelector(selector);
    };
    const list = await times(VISITS, () => readable(`${berth.url}/console/sessions`, "tbody tr"));
    const plain = await times(VISITS, () => readable(`${berth.url}/`, "main, body"));
    return {
      what: `console: list of ${SESSIONS} sessions readable`,
      ...{ peer: "the service's front page, without scripts", peerValue: median(plain) },
      ...{ unit: "ms", value: median(list), p95: percentile(list, 0.95), limit: 700 },
    };
  } finally {
    await browser.close();
  }
}

/** Copies a session, each copy a second older, with words of its own. */
async function fill(berth: Berth): Promise<void> {
  const client = openWritePool({ url: databaseUrlOf(berth) }, 1);
  try {
    const names = await client.query<{ name: string }>({
      text: `select string_agg(quote_ident(attname), ', ') as name from pg_attribute
        where attrelid = 'sessions'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    });
    const columns = names.rows[0]?.name ?? "";
    const title = `list ${randomUUID()}`;
    for (let first = 1; first <= SESSIONS; first += BATCH) {
      const numbers = `generate_series(${first}, ${first + BATCH - 1}) as number`;
      await client.query({
        text: `insert into sessions (${columns})
          select ${columns.replaceAll(/[^,]+/g, (name) => ` (copy).${name.trim()}`)}
          from sessions as made, ${numbers},
            lateral jsonb_populate_record(made, jsonb_build_object(
              'id', encode(set_byte(set_byte(
                substring(decode(lpad(to_hex((extract(epoch from now()) * 1000)::bigint - number * 1000::bigint), 12, '0'), 'hex') from 1 for 6)
                || substring(uuid_send(gen_random_uuid()) from 7), 6, 112), 8, 128), 'hex'),
              'title', $1 || ' ' || number, 'updated_at', now() - number * interval '1 second')) as copy
          where made.title = 'Session'`,
        values: [title],
      });
      await client.query({
        text: `insert into session_words (session_id, title, last_seq, head, said)
          select copies.id, copies.title, copies.last_seq, template.head, array_to_tsvector(array(
            select distinct unnest(string_to_array(${WORDS}, ' '))))
          from ${numbers} join sessions as copies on copies.title = $1 || ' ' || number,
            (select head from session_words where title = 'Session') as template
          on conflict do nothing`,
        values: [title],
      });
    }
    await client.query({ text: "vacuum analyze sessions, session_words" });
  } finally {
    await client.close();
  }
}
