import { expect, it } from 'vitest';
import { gaugesText } from '@atoll/kube';
import { withNamespaceGauge } from './namespace-gauge.ts';

it('shows beside the other metrics which namespaces are served, and what the others wait for', () => {
  const other = { name: 'other', help: 'Another.', samples: [] };
  const pages = withNamespaceGauge(new Map([['metrics', () => [other]]]), [
    { name: 'edge', state: 'served' },
    { name: 'lab', state: 'absent' },
  ]);
  const families = pages.get('metrics')?.() ?? [];
  expect(families[0]).toBe(other);
  expect(gaugesText(families.slice(1)).split('\n').slice(2, 4)).toEqual([
    'atoll_namespace_served{namespace="edge",state="served"} 1',
    'atoll_namespace_served{namespace="lab",state="absent"} 0',
  ]);
});
