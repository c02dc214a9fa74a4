import { expect, it } from 'vitest';
import { ownLease } from './own-lease.ts';

const options = { leaseNamespace: undefined, leaseName: 'atoll' };

it.each([
  [{}, 'atoll-system'],
  // A variable that was not set makes `POD_NAMESPACE=` of `POD_NAMESPACE=$NAMESPACE`.
  [{ POD_NAMESPACE: '' }, 'atoll-system'],
  [{ POD_NAMESPACE: 'edge' }, 'edge'],
])('with the variables %j the Lease is in %s', (variables, namespace) => {
  expect(ownLease(options, variables)).toEqual({ namespace, name: 'atoll' });
});

it('is where the flag says, whatever the variables are', () => {
  const { namespace } = ownLease({ ...options, leaseNamespace: 'lab' }, { POD_NAMESPACE: 'edge' });
  expect(namespace).toBe('lab');
});
