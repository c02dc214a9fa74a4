import { expect, it } from 'vitest';
import { isOverdrawn } from './overdrawn-quota.ts';

const words = (used: string, limited: string): string =>
  `pods "x" is forbidden: exceeded quota: small, requested: pods=1,requests.cpu=100m, used: ${used}, limited: ${limited}`;

it.each([
  ['that is full has room for what takes the place of another', words('pods=4', 'pods=4'), true, false],
  ['that was lowered has none', words('pods=4', 'pods=3'), false, true],
  ['of another count has none', words('count/pods=4', 'count/pods=3'), false, true],
  ['of amounts has none for as much', words('requests.cpu=1', 'requests.cpu=900m'), true, true],
  ['of amounts may have room for less', words('requests.cpu=1', 'requests.cpu=900m'), false, false],
  [
    'of amounts that is full has room for as much',
    words('requests.cpu=1', 'requests.cpu=1000m'),
    true,
    false,
  ],
  ['of several has none where one of them has none', words('cpu=1,pods=4', 'cpu=1,pods=3'), true, true],
  ['of a device', words('requests.nvidia.com/gpu=4', 'requests.nvidia.com/gpu=3'), true, true],
  ['of bytes', words('limits.memory=10Gi', 'limits.memory=10737418240'), true, false],
  [
    'in the words about a trial',
    `the API server would refuse a new Pod: ${words('pods=4', 'pods=3')}`,
    false,
    true,
  ],
  ['whose words are others says nothing', 'exceeded quota: pods', true, false],
  ['whose amounts cannot be read says nothing', words('pods=many', 'pods=3'), true, false],
])('a quota %s', (_, message, asksTheSame, is) => {
  expect(isOverdrawn(message, asksTheSame)).toBe(is);
});
