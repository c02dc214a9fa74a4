import { kinds } from '@atoll/api/schema';
import { expect, it } from 'vitest';
import { argocdPatch } from './argocd.ts';

it('Argo CD knows the health of every kind that people write', () => {
  const { text } = argocdPatch();
  const known = [...text.matchAll(/^ {2}resource\.customizations\.health\.(\S+): \|$/gm)].map(
    ([, kind = '']) => kind,
  );
  const written = kinds
    .map(({ resource: { group, kind } }) => `${group}_${kind}`)
    // Its health is that of the ExtendedDaemonSet which made it.
    .filter((each) => each !== 'datadoghq.com_ExtendedDaemonSetReplicaSet');
  expect(known.toSorted()).toEqual(written.toSorted());
});
