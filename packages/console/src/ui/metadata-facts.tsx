import { showUnseen } from "../format/visible-text.ts";
import { Fact, Facts, Section } from "./section.tsx";

/** Shows a client's own metadata pairs; nothing if there are none. */
export function MetadataFacts({ metadata }: { metadata: Record<string, string> }) {
  const pairs = Object.entries(metadata);
  if (pairs.length === 0) return null;
  return (
    <Section title="Metadata">
      <Facts>
        {pairs.map(([name, value]) => (
          <Fact key={name} name={showUnseen(name)}>
            {showUnseen(value)}
          </Fact>
        ))}
      </Facts>
    </Section>
  );
}
