/** Shorter texts are parts of ordinary words: what is said would not be readable without them. */
const SHORTEST_SECRET = 6;

/** What is given as a key where none is needed, or as a password where none was thought of. In lower case. */
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

/** Bits. Whoever writes texts and sees what is masked in them can try some 2^40 values in a year. */
const LEAST_UNKNOWN = 48;

/**
 * Whether a secret is looked for in texts at all. One that is very short, or that many have, is part of what is ordinarily said, and
 * tells nothing. Every part that masks or redacts asks here.
 */
export function isMaskable(secret: string): boolean {
  return secret.length >= SHORTEST_SECRET && !NO_SECRETS.has(secret.toLowerCase());
}

/**
 * Whether a secret could be found by trying: what is not maskable, and what has less than 48 bits if its characters were drawn at
 * random from those that it has, such as numbers of up to some 15 digits. To mask it would tell whoever tries that it is right.
 */
export function isGuessable(secret: string): boolean {
  return !isMaskable(secret) || entropyOf(secret.toLowerCase()) < LEAST_UNKNOWN;
}

/** Of a text, in bits, by how often each of its characters occurs. */
function entropyOf(text: string): number {
  const characters = [...text];
  const counts = Map.groupBy(characters, (character) => character).values();
  return counts.reduce((bits, { length }) => bits - length * Math.log2(length / characters.length), 0);
}
