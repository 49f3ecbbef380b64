import type { SandboxService } from "@berth/egress";
import { SIGNING_HOST } from "@berth/sandbox";
import type { Queryable } from "@berth/store/db";
import { type SecretBox, signingKey } from "@berth/store/secrets";
import { gitSignature, readSessionSigningKey } from "@berth/store/signing";

interface SigningDeps {
  db: { read: Queryable };
  secrets: SecretBox;
}

/**
 * Returns the service at which a session's sandbox gets signatures of its organization's key, which never
 * enters a sandbox. The key is read for each signature, so that it signs nothing once it is removed.
 */
export function signingService({ db, secrets }: SigningDeps, sessionId: string): SandboxService {
  return {
    host: SIGNING_HOST,
    answer: async (path) => {
      const digest = /^\/([0-9a-f]{128})$/.exec(path)?.[1];
      if (digest === undefined) return { status: 400, body: "The path must be a SHA-512.\n" };
      const key = await readSessionSigningKey(db.read, sessionId);
      if (key === null) return { status: 404, body: "The organization signs no commits.\n" };
      const privateKey = secrets.open(signingKey(key.organizationId), key.privateKey);
      return { status: 200, body: gitSignature(privateKey, Buffer.from(digest, "hex")) };
    },
  };
}
