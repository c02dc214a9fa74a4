import type { Container, PodSpec } from '@atoll/kube';
import { expect, it } from 'vitest';
import { asking, ota } from './image-pre-pull.fixture.ts';
import { pullJob, pullJobName } from './pull-job.ts';

it('pulls each image once, as the next pod will, and runs nothing of them', () => {
  const { metadata, spec } = pullJob(asking(), ota.spec?.template, 'new');
  expect(metadata.labels).toEqual({ 'atoll.dev/image-pre-pull': 'new' });
  expect(metadata.ownerReferences).toMatchObject([
    { kind: 'Pod', uid: 'uid-agent-n1-old', controller: true },
  ]);
  expect(spec).toMatchObject({ backoffLimit: 0, activeDeadlineSeconds: 600, ttlSecondsAfterFinished: 30 });
  const pod = spec?.template.spec;
  expect(pod).toMatchObject({
    nodeName: 'n1',
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    serviceAccountName: 'puller',
    imagePullSecrets: [{ name: 'registry' }],
  });
  expect(pod?.tolerations).toContainEqual({ key: 'edge', operator: 'Exists' });
  expect(pod?.tolerations).toContainEqual({
    key: 'node.kubernetes.io/unreachable',
    operator: 'Exists',
    effect: 'NoExecute',
  });
  expect(pod?.containers.map(({ image, imagePullPolicy }) => [image, imagePullPolicy])).toEqual([
    ['r.io/init:2', undefined],
    ['r.io/agent:2', 'Always'],
    ['r.io/side:2', undefined],
  ]);
  for (const { command, securityContext } of pod?.containers ?? []) {
    expect(command).toEqual(['true']);
    expect(securityContext).toMatchObject({ runAsNonRoot: true, allowPrivilegeEscalation: false });
  }
});

it.each<[string, PodSpec['securityContext'], Container['securityContext'], number | undefined]>([
  ['the user of the template', { runAsUser: 1001 }, {}, 1001],
  ["the user of a container, before the pod's", { runAsUser: 1001 }, { runAsUser: 1002 }, 1002],
  ['a user that the cluster or the image gives', { runAsNonRoot: true }, {}, undefined],
  ['a user that the cluster or the image gives to a container', {}, { runAsNonRoot: true }, undefined],
  ['nobody, where the template is of root', { runAsUser: 0 }, { runAsNonRoot: true }, 65_534],
  ['nobody, where a container may be of root', { runAsNonRoot: true }, { runAsNonRoot: false }, 65_534],
  ['nobody, where the template names no user', undefined, undefined, 65_534],
])('runs as %s', (_, ofPod, ofContainer, expected) => {
  const containers = [
    {
      name: 'agent',
      image: 'agent:2',
      ...(ofContainer === undefined ? {} : { securityContext: ofContainer }),
    },
  ];
  const spec = { containers, ...(ofPod === undefined ? {} : { securityContext: ofPod }) };
  const made = pullJob(asking(), { spec }, 'new');
  const [context] = made.spec?.template.spec?.containers.map(({ securityContext }) => securityContext) ?? [];
  expect(context?.runAsNonRoot).toBe(true);
  expect(context?.runAsUser).toBe(expected);
});

it('leaves out what a node with Windows does not support', () => {
  const template = ota.spec?.template.spec;
  if (template === undefined) throw new Error('the fixture has a template');
  const made = pullJob(asking(), { spec: { ...template, os: { name: 'windows' } } }, 'new').spec?.template
    .spec;
  expect(made?.os).toEqual({ name: 'windows' });
  expect(made?.containers.every(({ securityContext }) => securityContext === undefined)).toBe(true);
});

it.each([
  ['short', 'agent-x1'],
  ['as long as they get', 'a'.repeat(57)],
  ['with dots', 'agent.of.the.edge-x1'],
  ['longer than a label value', `${'a'.repeat(200)}-x1`],
])('has a name that fits, for pods whose name is %s', (_, name) => {
  const pod = asking();
  const made = pullJobName({ ...pod, metadata: { ...pod.metadata, name } }, 'new');
  expect(made).toMatch(/^image-pre-pull-[a-z0-9-]+$/);
  expect(made.length).toBeLessThanOrEqual(63);
});

it('has another name for each revision and for each pod', () => {
  const pod = asking();
  const other = { ...pod, metadata: { ...pod.metadata, uid: 'uid-other' } };
  const names = [pullJobName(pod, 'new'), pullJobName(pod, 'newer'), pullJobName(other, 'new')];
  expect(new Set(names).size).toBe(3);
});
