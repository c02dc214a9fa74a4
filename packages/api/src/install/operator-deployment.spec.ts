import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { operatorDeployment } from './operator-deployment.ts';

const dockerfile = readFileSync(
  new URL('../../../../deploy/images/operator.Dockerfile', import.meta.url),
  'utf8',
);

it('leaves the user of the operator to the cluster and to the image, which names one that is not root by number', () => {
  const { securityContext, containers } = operatorDeployment.spec?.template.spec ?? {};
  // As the Pod Security Standard restricted asks for. A kubelet takes a name for root, and starts nothing.
  expect(securityContext).toMatchObject({ runAsNonRoot: true });
  expect(/^USER ([0-9]+)(:[0-9]+)?$/m.exec(dockerfile)?.[1]).toBe('65532');
  // OpenShift's restricted-v2 refuses a user that is not of the namespace's own.
  const named = [securityContext, ...(containers ?? []).map((each) => each.securityContext)];
  for (const each of named) expect(each).not.toHaveProperty('runAsUser');
});
