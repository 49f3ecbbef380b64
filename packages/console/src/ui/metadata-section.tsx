import type { Pair } from "../format/pairs.ts";
import { FormSection } from "./form-section.tsx";
import { PairRows } from "./pair-rows.tsx";
import type { FaultAt } from "./use-save.ts";

type Props = {
  metadata: readonly Pair[];
  onChange: (metadata: Pair[]) => void;
  faultAt: FaultAt;
  about: string;
};

/** Edits a client's own metadata pairs. */
export function MetadataSection({ metadata, onChange, faultAt, about }: Props) {
  const whole = faultAt("metadata");
  return (
    <FormSection title="Metadata" about={about}>
      <PairRows
        noun="pair"
        pairs={metadata}
        onChange={onChange}
        faultAt={({ key }) => faultAt(`metadata ${key}`)}
      />
      {whole !== null && <p className="text-xs text-bad">{whole}</p>}
    </FormSection>
  );
}
