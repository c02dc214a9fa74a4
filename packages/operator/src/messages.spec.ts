import { describe, expect, it } from 'vitest';
import { reasonRemedies, reasonWords, type ReasonWord } from '@atoll/api';
import { daemonSetStates } from '../simulation/messages/daemon-set-states.ts';
import { extendedDaemonSetStates } from '../simulation/messages/extended-daemon-set-states.ts';
import { imagePrePullStates } from '../simulation/messages/image-pre-pull-states.ts';
import { nodePoolStates } from '../simulation/messages/node-pool-states.ts';
import { poolWorkloadStates } from '../simulation/messages/pool-workload-states.ts';
import { rolloutStates } from '../simulation/messages/rollout-states.ts';
import { unitedDeploymentStates } from '../simulation/messages/united-deployment-states.ts';

const table = {
  NodePool: nodePoolStates(),
  'UnitedDaemonSet, YurtAppDaemon': poolWorkloadStates(),
  UnitedDeployment: unitedDeploymentStates(),
  DaemonSet: daemonSetStates(),
  ExtendedDaemonSet: extendedDaemonSetStates(),
  'Pod whose next images are asked for': imagePrePullStates(),
  'rollouts with limits': rolloutStates(),
};
const text = Object.entries(table)
  .map(([kind, states]) => [`# ${kind}`, ...states].join('\n\n'))
  .join('\n\n');

/** `report-failed-reconcile.spec` shows it; the other is the label of a metric alone. */
const shownElsewhere: readonly ReasonWord[] = ['ReconcileFailed', 'StatusOutdated'];

/** Conditions and events that report something done: nobody has to act. */
const done: readonly ReasonWord[] = [
  'RolloutComplete',
  'PoolSynced',
  'SubsetReplicasMet',
  'ChildAdopted',
  'ReplicaSetObsolete',
  'ImagePullStarted',
  'PullImageSuccess',
  'CanaryPromoted',
  'CanaryEnded',
  'SettingValid',
];

describe('what kubectl describe prints', () => {
  it('is this, for every state that has words of its own', async () => {
    await expect(`${text}\n`).toMatchFileSnapshot('./messages.txt');
  });

  it('contains every word of the catalogue', () => {
    const others = new Set(shownElsewhere);
    const shown = new Set([...text.matchAll(/\b([A-Z][A-Za-z]+):(?: |$)/gm)].map(([, word]) => word));
    expect(reasonWords.filter((word) => !shown.has(word) && !others.has(word))).toEqual([]);
  });

  it('has a remedy for every word that waits or fails, and for no other', () => {
    const lines = [...text.matchAll(/^  (?:event .*?|.*=\S* )\b([A-Z][A-Za-z]+):(?: |$)/gm)];
    const words = new Set(lines.map(([, word]) => word));
    const asking = reasonWords.filter((word) => words.has(word) && !done.includes(word));
    expect(Object.keys(reasonRemedies).sort()).toEqual([...asking, 'ReconcileFailed'].sort());
  });

  it('names something to wait for only after "waiting until"', () => {
    expect(text).not.toMatch(/(?<!waiting )\buntil (a node joins|the new pods|the pods are|somebody)/);
  });

  it.each(text.split('\n').filter((line) => /^ {2}[A-Z]\w+=/.test(line)))(
    'fits into a condition: %s',
    (line) => {
      expect(line).not.toContain('…');
    },
  );
});
