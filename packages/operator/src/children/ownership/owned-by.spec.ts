import type { KubeObject, Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { ownedBy } from './owned-by.ts';

function object(namespace: string, name: string): Stored<KubeObject> {
  return {
    metadata: { namespace, name, uid: name, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
  };
}

describe('what an object owns', () => {
  const found = [object('edge', 'a'), object('tenant', 'forged'), object('edge', 'b')];
  const reader = { by: (_: string, uid: string) => (uid === 'web' ? found : []) };

  it('is in its own namespace, whatever refers to it from others', () => {
    const names = ownedBy(reader, object('edge', 'web')).map(({ metadata }) => metadata.name);
    expect(names).toEqual(['a', 'b']);
    expect(ownedBy(reader, object('edge', 'other'))).toEqual([]);
  });
});
