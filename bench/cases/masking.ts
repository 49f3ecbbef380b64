import { SecretMask } from "@berth/store/masking";
import { type Figure, median } from "../figure.ts";

const MEGABYTE = 1_000_000;
const ROUNDS = 15;
const WORDS = "const value = await reader.next(); // the next of all lines that were read\n";
/** The beginning of a secret, so that what follows may be part of it. */
const BEGIN = "ghp_Zk3";

/**
 * Measures masking a text with escape sequences, or in small pieces, against the same amount of plain text.
 */
export async function maskingFigures(): Promise<Figure[]> {
  const mask = new SecretMask();
  mask.add("ghp_Zk3canaryQ9wLxV7mR2tYpE8sNfB5hJcU1d");
  const plain = filled(WORDS);
  const hostile = {
    "a terminal's string that never ends": `\u001b]${plain}`,
    "one within what may be a secret": `${BEGIN}\u001b]${plain}`,
    "one that begins in each line": filled(WORDS.replace("\n", `${BEGIN}\u001b]\n`)),
    "colours around each word": filled(WORDS.replaceAll(/\w+/g, "\u001b[31m$&\u001b[m")),
  };
  const masked = (text: string) => () => void mask.mask(text);
  const inPieces = (size: number) => () => {
    const stream = mask.stream();
    for (let at = 0; at < MEGABYTE; at += size) stream.write(plain.slice(at, at + size));
    stream.end();
  };
  return [
    ...Object.entries(hostile).map(([what, text]) => figure(what, masked(text), "plain text", masked(plain))),
    figure("pieces of 20 characters", inPieces(20), "the whole at once", masked(plain)),
  ];
}

/** Measures both alternately, so that both see the same load. */
function figure(what: string, run: () => void, peer: string, runPeer: () => void): Figure {
  const [own, peers]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    own.push(duration(run));
    peers.push(duration(runPeer));
  }
  const [value, peerValue] = [median(own), median(peers)];
  const note = `limit is twice the peer: ${value <= 2 * peerValue ? "met" : "missed"}`;
  return { what: `masking 1 MB, ${what}`, peer, unit: "ms", value, peerValue, note };
}

function duration(run: () => void): number {
  const begun = performance.now();
  run();
  return performance.now() - begun;
}

function filled(words: string): string {
  return words.repeat(Math.ceil(MEGABYTE / words.length)).slice(0, MEGABYTE);
}
