import type { Agent } from "@berth/sdk";
import { OWNER_AS } from "../format/git-identity.ts";
import { showUnseen } from "../format/visible-text.ts";
import { Fact, Facts, Section } from "./section.tsx";

/** Shows the git identity of commits; nothing if it is not set. */
export function GitIdentityFacts({ identity }: { identity: Agent["git_identity"] | null }) {
  if (identity === undefined || identity === null) return null;
  const { name, email, co_authored_by: coAuthor, session_owner: ownerAs } = identity;
  return (
    <Section title="Git identity">
      <Facts>
        {name !== null && (
          <Fact name="Author">
            {showUnseen(name)} &lt;{email}&gt;
          </Fact>
        )}
        {coAuthor !== null && (
          <Fact name="Co-author">
            {showUnseen(coAuthor.name)} &lt;{coAuthor.email}&gt;
          </Fact>
        )}
        {ownerAs !== undefined && <Fact name="Session’s owner">{OWNER_AS[ownerAs]}</Fact>}
      </Facts>
    </Section>
  );
}
