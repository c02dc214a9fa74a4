import type { Results } from '../../src/engine/executor/results.ts';
import type { StepResult } from '../../src/engine/step.ts';

/** What a step did, without the step: alike for whatever behaves alike. */
export function resultText(result: StepResult): string {
  if (result.did === 'done') return result.adopted === true ? 'a' : 'd';
  return result.did === 'failed' ? `f${result.error.reason}` : `s${result.because}`;
}

export function resultsText(results: Results | undefined): string {
  const texts: string[] = [];
  for (let each = results; each !== undefined; each = each.before) {
    texts.push(`${each.index}${resultText(each.result)}`);
  }
  return texts.join();
}
