import type { KubeObject, StreamEvent } from '@atoll/kube';
import type { CommandContext } from '../../program/run-program.ts';
import type { Watching } from './watching.ts';

/** Prints what a watch brings, one change after the other, until the watch ends; `show` makes their text. */
export async function printChanges<T extends KubeObject>(
  { print, note, signal }: CommandContext,
  show: (changes: readonly StreamEvent<T>[]) => Promise<string>,
  watch: (watching: Watching<T>) => Promise<void>,
): Promise<void> {
  let printing = Promise.resolve();
  try {
    await watch({
      changed: (change) => {
        printing = printing.then(async () => print(await show([change])));
      },
      failed: (error) => note(`watching again soon: ${error.message}`),
      signal,
    });
  } finally {
    await printing;
  }
}
