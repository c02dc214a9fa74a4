import { describe, expect, it } from 'vitest';
import { withOverrides } from '../overrides/pod-overrides.ts';
import { placedOn } from './render-pod.ts';

it('a pod tolerates all that a node has by itself, as one of a native DaemonSet does (BUG-25)', () => {
  const { tolerations } = placedOn({ containers: [] }, 'n1');
  const ofNodes = (effect: string, names: readonly string[]) =>
    names.map((name) => ({ key: `node.kubernetes.io/${name}`, operator: 'Exists', effect }));
  // Source: AddOrUpdateDaemonPodTolerations of the native controller; the old operator lacks pid-pressure.
  const pressures = ['disk-pressure', 'memory-pressure', 'pid-pressure'];
  expect(tolerations).toEqual(
    expect.arrayContaining([
      ...ofNodes('NoExecute', ['not-ready', 'unreachable']),
      ...ofNodes('NoSchedule', [...pressures, 'unschedulable', 'network-unavailable']),
    ]),
  );
});

describe('a template whose fields have the wrong type', () => {
  it('keeps tolerations that are no list, and what is in a list, for the API server to refuse', () => {
    expect(placedOn({ tolerations: 'all' } as never, 'n1').tolerations).toBe('all');
    expect(placedOn({ tolerations: [null] } as never, 'n1').tolerations).toContain(null);
  });

  it('keeps containers that are no list, and what is in a list', () => {
    const overrides = new Map([['agent', { resources: {} }]]);
    expect(withOverrides('agent' as never, overrides)).toBe('agent');
    expect(withOverrides([null] as never, overrides)).toEqual([null]);
  });

  it('keeps node selector terms that are no list', () => {
    const requiredDuringSchedulingIgnoredDuringExecution = { nodeSelectorTerms: 'zone' };
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution } };
    expect(placedOn({ affinity } as never, 'n1').affinity).toEqual(affinity);
  });
});
