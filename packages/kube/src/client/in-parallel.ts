/**
 * The answers for all items, in their order, with at most `atOnce` of them worked on at the same time. Where one rejects, so does this, with the
 * same error, and no further item is begun; those under way go on.
 */
export async function inParallel<Item, Answer>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item, index: number) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  const left = items.entries();
  let failed = false;
  const workInTurn = async (): Promise<void> => {
    for (const [index, item] of left) {
      if (failed) return;
      try {
        answers[index] = await work(item, index);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, workInTurn));
  return answers;
}
