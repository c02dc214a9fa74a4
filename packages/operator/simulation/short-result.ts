import type { ApiError, KubeObject, Resource } from '@atoll/kube';
import type { WriteStep } from '../src/engine/executor/request.ts';
import type { SkipReason, StepResult } from '../src/engine/step.ts';

/** What a step did, without the step. */
export type ShortResult =
  | { readonly did: 'done'; readonly adopted: boolean }
  | { readonly did: 'failed'; readonly error: ApiError }
  | { readonly did: 'skipped'; readonly because: SkipReason };

export function shortText(result: ShortResult): string {
  if (result.did === 'done') return result.adopted ? 'a' : 'd';
  return result.did === 'failed' ? `f${result.error.reason}` : `s${result.because}`;
}

export function shortResult(result: StepResult): ShortResult {
  if (result.did === 'done') return { did: 'done', adopted: result.adopted === true };
  if (result.did === 'failed') return { did: 'failed', error: result.error };
  return { did: 'skipped', because: result.because };
}

/** The result as the engine knows it; where nobody looks at the step, none needs to be named. */
export function stepResult(result: ShortResult, step: WriteStep = nobody): StepResult {
  if (result.did === 'done') return { step, did: 'done', ...(result.adopted ? { adopted: true } : {}) };
  if (result.did === 'failed') return { step, did: 'failed', error: result.error };
  return { step, did: 'skipped', because: result.because };
}

const nobody: WriteStep = {
  do: 'create',
  why: { word: 'RollingOut', message: '-' },
  resource: {
    group: '',
    version: 'v1',
    kind: '',
    plural: '',
    namespaced: false,
  } satisfies Resource<KubeObject>,
  object: { metadata: { name: '' } },
  managed: 'once',
};
