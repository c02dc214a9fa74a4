import { expect, it } from 'vitest';
import { kindDefinitions } from '../../definitions/kind-definitions.ts';
import { warnOfUnseen } from './warn-of-unseen.ts';

it('names the manager of OpenYurt that upgrades of DaemonSets must not run beside', () => {
  const warned: unknown[] = [];
  warnOfUnseen(kindDefinitions, { warn: (fields: object) => void warned.push(fields) });
  expect(warned).toEqual([
    { controller: 'daemon-set-upgrade', unseenElsewhere: expect.stringContaining('yurt-manager') as string },
  ]);
});
