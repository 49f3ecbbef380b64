import { createRedactor } from "../../log/redactor.ts";
import type { SecretBox } from "../../secrets/secret-box.ts";

/**
 * A box for one session, and what takes the secrets that it opened out of a text, and no others. With those of all
 * sessions a tool would tell which of its words are somebody's secret, and a secret that is an ordinary word would be
 * missing in what the tools of everybody tell.
 */
export function ownSecrets(secrets: SecretBox): { secrets: SecretBox; mask(text: string): string } {
  const { add, redact } = createRedactor();
  return {
    secrets: {
      seal: (place, secret) => secrets.seal(place, secret),
      open(place, envelope) {
        const secret = secrets.open(place, envelope);
        add(secret);
        return secret;
      },
    },
    mask: redact,
  };
}
