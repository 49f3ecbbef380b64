/** Minimum length of a masked secret. Shorter ones occur in ordinary words, and text would be unreadable. */
const SHORTEST_SECRET = 6;

/** Values that people enter where no key is needed, and default passwords. In lower case. */
const NO_SECRETS = new Set([
  ...[
    "anything",
    "api-key",
    "api_key",
    "apikey",
    "your-api-key",
    "your_api_key",
    "changeme",
    "change-me",
    "default",
  ],
  ...[
    "dummy-key",
    "dummy_key",
    "sk-dummy",
    "example",
    "fake-key",
    "fake_key",
    "llama.cpp",
    "llama-cpp",
    "lm-studio",
  ],
  ...[
    "lmstudio",
    "local-key",
    "localhost",
    "no-api-key",
    "no-key",
    "no-key-required",
    "no_key_required",
    "not-needed",
  ],
  ...[
    "not_needed",
    "not-required",
    "not_required",
    "not-used",
    "ollama",
    "password",
    "placeholder",
    "secret",
    "sk-none",
  ],
  ...[
    "sk-no-key-required",
    "sk-placeholder",
    "sk-test",
    "sk-xxx",
    "testing",
    "test-key",
    "undefined",
    "unused",
  ],
  ...["x-access-token"],
]);

/**
 * Minimum bits of entropy of a secret that cannot be guessed. Somebody who writes texts and sees what is
 * masked in them can try about 2^40 values in a year.
 */
const LEAST_UNKNOWN = 48;

/**
 * Returns whether texts are searched for a secret at all. A very short or common value is part of ordinary
 * text and not worth hiding. Everything that masks or redacts uses this function.
 */
export function isMaskable(secret: string): boolean {
  return secret.length >= SHORTEST_SECRET && !NO_SECRETS.has(secret.toLowerCase());
}

/**
 * Returns whether a secret could be found by trial: it is not maskable, or has less than 48 bits of entropy
 * by the frequency of its characters, such as a number of up to about 15 digits. Masking it would confirm a
 * correct guess.
 */
export function isGuessable(secret: string): boolean {
  return !isMaskable(secret) || entropyOf(secret.toLowerCase()) < LEAST_UNKNOWN;
}

/** Returns the entropy of a text in bits, by how often each of its characters occurs. */
function entropyOf(text: string): number {
  const characters = [...text];
  const counts = Map.groupBy(characters, (character) => character).values();
  return counts.reduce((bits, { length }) => bits - length * Math.log2(length / characters.length), 0);
}
