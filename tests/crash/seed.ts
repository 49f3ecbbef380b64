/** Returns the seed of a run: a new one each time, or `TEST_SEED` to repeat a run. The caller prints it. */
export function newSeed(): number {
  return Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31));
}

/** Returns a generator of pseudo-random numbers from 0 to below 1, determined by the seed. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 2 ** 31;
  };
}
