/** A server that is busy has others to answer too: the leader, which renews its Lease, above all. */
const atOnce = 8;

/** The answers to all questions, in their order, with a few under way at a time. Where one rejects, no further one is asked. */
export async function fewAtATime<T, R>(
  questions: readonly T[],
  ask: (question: T) => Promise<R>,
): Promise<readonly R[]> {
  const answers: R[] = [];
  const waiting = questions.entries();
  let failed = false;
  const askInTurn = async (): Promise<void> => {
    for (const [index, question] of waiting) {
      if (failed) return;
      try {
        answers[index] = await ask(question);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, askInTurn));
  return answers;
}
