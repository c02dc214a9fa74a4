// The 31 defects of the old operator (`reference/extendeddaemonset.md` 7.1): each has a test whose name carries its number.
// What was planted to see these tests fail is in docs/reports/2026-11-extended-daemon-set-defects.md.
import { ApiError } from '@atoll/kube';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { clusterRoleRules } from '../install/cluster-role-rules.ts';
import { decide } from './decide.ts';
import { extendedDaemonSetDefinition } from './definition.ts';
import { agent, nodesNamed, now, podOn, replicaSet, snapshotOf } from './extended-daemon-set.fixture.ts';
import { plan } from './plan.ts';
import { report } from './report.ts';

const packages = fileURLToPath(new URL('../../../', import.meta.url));
const specs = globSync('*/{src,explore,integration}/**/*.spec.ts', { cwd: packages }).map((file) =>
  readFileSync(`${packages}${file}`, 'utf8'),
);

it.each(Array.from({ length: 31 }, (_, index) => index + 1))('defect %i has a test', (number) => {
  const named = new RegExp(`['\`(].*BUG-${number}(?![0-9])`);
  expect(specs.some((text) => named.test(text))).toBe(true);
});

it('may read DaemonSets, which a migration asks for, by the role that its kind makes (BUG-8)', () => {
  const ofDaemonSets = clusterRoleRules([extendedDaemonSetDefinition]).filter(
    ({ apiGroups, resources }) => apiGroups?.includes('apps') && resources?.includes('daemonsets'),
  );
  expect(ofDaemonSets.flatMap(({ verbs }) => verbs)).toEqual(['get', 'list', 'watch']);
});

const active = replicaSet(1);
const names = Array.from({ length: 1_000 }, (_, index) => `n${index}`);

it('a plan for a large fleet has a bounded number of requests of each sort (BUG-24)', () => {
  const object = agent('agent:1', { strategy: { rollingUpdate: { slowStartAdditiveIncrease: '100%' } } });
  const unwanted = names.flatMap((name) => [
    podOn(name, active),
    podOn(name, active, { name: `second-${name}` }),
  ]);
  for (const pods of [unwanted, []]) {
    const snapshot = snapshotOf({ object, replicaSets: [active], nodes: nodesNamed(...names), pods });
    const { stages } = plan(snapshot, decide(snapshot, now), now);
    const sizes = stages.filter(({ name }) => name.includes('pods')).map(({ steps }) => steps.length);
    expect(Math.max(...sizes)).toBe(250);
  }
});

it('each deletion that is refused beside others is in the conditions (BUG-28)', () => {
  const nodes = nodesNamed('a', 'b', 'c');
  const pods = ['a', 'b', 'c'].flatMap((name) => [
    podOn(name, active),
    podOn(name, active, { name: `second-${name}` }),
  ]);
  const snapshot = snapshotOf({ replicaSets: [active], nodes, pods });
  const decision = decide(snapshot, now);
  const steps = plan(snapshot, decision, now).stages.flatMap(({ steps: each }) => each);
  const deletions = steps.filter(({ do: does }) => does === 'delete');
  expect(deletions).toHaveLength(3);
  const refusal = {
    fate: 'refused',
    code: 403,
    reason: 'Forbidden',
    attempted: 'delete',
    message: 'no',
  } as const;
  const error = new ApiError(refusal);
  const results = deletions.map((step) => ({ step, did: 'failed', error }) as const);
  const error3 = { type: 'ReconcileError', status: 'True', message: 'a, b, c: delete: no' };
  const [, ofObject] = report(snapshot, decision, { results }, now);
  expect(ofObject?.status).toMatchObject({
    conditions: expect.arrayContaining([expect.objectContaining(error3)]),
  });
});
