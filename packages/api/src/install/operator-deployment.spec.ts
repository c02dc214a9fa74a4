import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { agentDaemonSet } from './node-agent-daemon-set.ts';
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

// The Pod Security Standard restricted does not ask for the first, and the agent cannot have all of it.
it.each([operatorDeployment, agentDaemonSet])(
  'gives no container of the $kind a file system to write on, nor more rights than its user has',
  ({ spec }) => {
    const { containers = [], initContainers = [], securityContext } = spec?.template.spec ?? {};
    expect(containers).not.toEqual([]);
    for (const container of [...initContainers, ...containers])
      expect(container.securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
    expect(securityContext).toMatchObject({ seccompProfile: { type: 'RuntimeDefault' } });
  },
);
