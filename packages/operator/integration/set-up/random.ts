/** Numbers in [0, 1) that a seed repeats (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A seed from the environment, to repeat a run, or a new one. */
export function seedOf(text: string | undefined): number {
  return text === undefined ? Math.floor(Math.random() * 1_000_000) : Number(text);
}

export function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  const drawn = items.map((item) => ({ item, at: random() }));
  return drawn.sort((a, b) => a.at - b.at).map(({ item }) => item);
}
