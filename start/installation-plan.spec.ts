import { describe, expect, it } from 'vitest';
import { describePlan } from './installation-plan.ts';

describe('a plan of what is installed', () => {
  it('lists first what is taken over, and from whom', () => {
    expect(
      describePlan([
        { object: 'Namespace atoll-system', action: 'create' },
        { object: 'ClusterRole atoll', action: 'keep' },
        { object: 'CustomResourceDefinition a', action: 'take over', from: ['helm', 'Helm release kruise'] },
        { object: 'Service atoll-system/atoll-webhook', action: 'update' },
      ]),
    ).toEqual([
      '  takes over  CustomResourceDefinition a from helm, Helm release kruise',
      '  creates     Namespace atoll-system',
      '  updates     Service atoll-system/atoll-webhook',
      '  keeps       1 of its objects as they are',
    ]);
  });
});
