import type { CompactionSavings } from "@berth/sdk";
import { useQuery } from "@tanstack/react-query";
import { modelsQuery } from "../../../api/queries/models.ts";
import { inputTokens } from "../../../format/cost.ts";
import { formatCents } from "../../../format/money.ts";
import {
  formatCount,
  formatDollars,
  formatPlural,
  formatShare,
  formatShort,
} from "../../../format/numbers.ts";
import { formatSeconds } from "../../../format/time.ts";
import { Fact, Facts, Section } from "../../../ui/section.tsx";
import { Cell, HeadCell, Table } from "../../../ui/table.tsx";
import { costOf } from "../log/log-cost.ts";
import type { EndRow, SessionView } from "../log/view.ts";
import { BudgetForm } from "../scope/budget-form.tsx";
import { useSession } from "../scope/session-context.ts";

/** Shows tokens, cost and time, of the session and of each turn. */
export function UsagePanel({ view }: { view: SessionView }) {
  const { session } = useSession();
  const { data: models } = useQuery(modelsQuery);
  // The service's figure counts the requests that had ended when it was read, so it is complete only at rest.
  const isAtRest = view.status === "idle" || view.status === "terminated";
  const priceOf = (model: string | null) => models?.find(({ id }) => id === model)?.price;
  const cost = isAtRest ? session.list_cost_usd : costOf(view, session.agent.model.id, priceOf);
  const ends = view.rows.filter((row): row is EndRow => row.kind === "end");
  const window = session.agent.model.effective_context_window;
  return (
    <div className="h-full overflow-y-auto">
      <div className="grid grid-cols-2 gap-px border-b border-line bg-line sm:grid-cols-3">
        <Figure name="Input" value={formatShort(inputTokens(view.usage))} about="tokens" />
        <Figure name="Output" value={formatShort(view.usage.output_tokens)} about="tokens" />
        <Figure
          name="Cost"
          value={cost === null ? "–" : formatDollars(cost)}
          about={cost === null ? "no price known" : "estimate, by list price"}
        />
        <Figure
          name="Active"
          value={formatSeconds(session.stats.active_seconds)}
          about={`of ${formatSeconds(session.stats.duration_seconds)}`}
        />
        <Figure name="From cache" value={shareOf(view)} about="of the input" />
        <Figure name="Context" value={formatShort(window)} about="tokens at most" />
      </div>
      <Section title="Tokens">
        <Facts>
          <Fact name="Input">{formatCount(view.usage.input_tokens)}</Fact>
          <Fact name="Cache read">{formatCount(view.usage.cache_read_input_tokens)}</Fact>
          <Fact name="Cache write">{formatCount(view.usage.cache_creation_input_tokens)}</Fact>
          <Fact name="Output">{formatCount(view.usage.output_tokens)}</Fact>
        </Facts>
      </Section>
      <BudgetSection />
      <CompactionSection savings={session.compaction} />
      <Section title="By turn">
        {ends.length === 0 ? (
          <p className="text-muted">No turn has ended yet.</p>
        ) : (
          <Table
            label="Usage by turn"
            head={
              <>
                <HeadCell>Turn</HeadCell>
                <HeadCell align="right">Time</HeadCell>
                <HeadCell align="right">Calls</HeadCell>
                <HeadCell align="right">Input</HeadCell>
                <HeadCell align="right">Output</HeadCell>
              </>
            }
          >
            {ends.toReversed().map(({ id, turn, summary }) => (
              <tr key={id}>
                <Cell className="h-8">{turn}</Cell>
                <Cell className="h-8" align="right">
                  {formatSeconds(summary.seconds)}
                </Cell>
                <Cell className="h-8" align="right">
                  {formatCount(summary.calls)}
                </Cell>
                <Cell className="h-8" align="right">
                  {formatCount(inputTokens(summary.usage))}
                </Cell>
                <Cell className="h-8" align="right">
                  {formatCount(summary.usage.output_tokens)}
                </Cell>
              </tr>
            ))}
          </Table>
        )}
      </Section>
    </div>
  );
}

function Figure({ name, value, about }: { name: string; value: string; about: string }) {
  return (
    <div className="bg-canvas px-4 py-3">
      <p className="text-xs text-faint">{name}</p>
      <p className="text-xl font-semibold tabular">{value}</p>
      <p className="text-xs text-faint">{about}</p>
    </div>
  );
}

function shareOf({ usage }: SessionView): string {
  const total = inputTokens(usage);
  return formatShare(total === 0 ? null : usage.cache_read_input_tokens / total);
}

/** Shows how much of the session's budget is spent, and changes it. */
function BudgetSection() {
  const { session, closed } = useSession();
  const { budget, usage } = session;
  if (budget === null) return null;
  return (
    <Section title="Budget">
      <Facts>
        <Fact name="Charged">{usage.list_cost === null ? "–" : formatCents(usage.list_cost.amount)}</Fact>
        <Fact name="Budget">{formatCents(budget.max_list_cost.amount)}</Fact>
      </Facts>
      {!closed && <BudgetForm />}
    </Section>
  );
}

/** Shows the tokens that compactions saved, and their cost. */
function CompactionSection({ savings }: { savings: CompactionSavings }) {
  if (savings.count === 0)
    return (
      <Section title="Compaction">
        <p className="text-muted">The context was not compacted.</p>
      </Section>
    );
  const { summary_usage: summaries } = savings;
  return (
    <Section title="Compaction">
      <Facts>
        <Fact name="Input avoided">
          {formatPlural(savings.avoided_input_tokens, "token")} after{" "}
          {formatPlural(savings.count, "compaction")}
        </Fact>
        <Fact name="Summaries">
          {formatCount(inputTokens(summaries))} read, {formatCount(summaries.output_tokens)} written
        </Fact>
        <Fact name="Saved">{savedWords(savings)}</Fact>
      </Facts>
    </Section>
  );
}

function savedWords({ saved_input_tokens: tokens, saved_list_cost_usd: dollars }: CompactionSavings): string {
  if (dollars === null) return "no price known";
  const amount = dollars < 0 ? `−${formatDollars(-dollars)}` : formatDollars(dollars);
  if (tokens === null) return `about ${amount}`;
  return `about ${amount}, the price of ${formatCount(tokens)} uncached input tokens`;
}
