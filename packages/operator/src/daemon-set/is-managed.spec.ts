import { daemonSetUpdate } from '@atoll/api';
import { expect, it } from 'vitest';
import { agent, recorded } from './daemon-set.fixture.ts';
import { isManaged } from './is-managed.ts';

const { annotations } = daemonSetUpdate;

it.each([
  ['asks by the name of today', { [annotations.updateStrategy]: 'OTA' }, true],
  ['asks by the earlier name', { [annotations.upgradeStrategy]: 'ota' }, true],
  ['asks for nothing', {}, false],
])('a DaemonSet that %s', (_, asked, expected) => {
  const object = agent();
  const found = { ...object, metadata: { ...object.metadata, annotations: asked } };
  expect(isManaged(found)).toBe(expected);
  expect(isManaged(recorded(found))).toBe(true);
});
