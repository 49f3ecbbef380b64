import type { CompactionSavings } from "@berth/sdk";
import { inputTokens } from "../../../format/cost.ts";
import { formatCount, formatDollars, formatPlural } from "../../../format/numbers.ts";
import { Fact, Facts, Section } from "../../../ui/section.tsx";

/** Shows the tokens that compactions saved, and their cost. */
export function CompactionSection({ savings }: { savings: CompactionSavings }) {
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
        <Fact name="Not read again">
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
  return `about ${amount}, as much as ${formatCount(tokens)} input tokens without a cache`;
}
