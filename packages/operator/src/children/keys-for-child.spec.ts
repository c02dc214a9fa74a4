import { daemonSets, pods } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { asking, ota } from '../image-pre-pull/image-pre-pull.fixture.ts';
import { pullJob } from '../image-pre-pull/pull-job.ts';
import { ownerKey } from './keys-for-child.ts';

describe('what is owned', () => {
  it('by a pod, whose group has no name, enqueues that pod', () => {
    expect(ownerKey(pods, pullJob(asking(), ota, 'new'))).toBe('edge/agent-n1-old');
  });

  it('by an object of another kind enqueues no pod', () => {
    expect(ownerKey(pods, asking())).toBeUndefined();
    expect(ownerKey(daemonSets, asking())).toBe('edge/agent');
  });
});
