/** What a run varies is chosen by a seed, which it prints: another in each run, or that of `TEST_SEED`, to repeat one. */
export function newSeed(): number {
  return Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31));
}

/** Pseudo-random numbers, at least 0 and less than 1, that follow from the seed. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 2 ** 31;
  };
}
