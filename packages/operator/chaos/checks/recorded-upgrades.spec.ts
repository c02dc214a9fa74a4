import type { AuditEntry, History } from '@atoll/testbed';
import { expect, it } from 'vitest';
import { recordedUpgrades, type RecordedUpgradesRule } from './recorded-upgrades.ts';

const user = 'agent';
const deletedAt = 1_000;

/** The agent of node-1 deletes the pod `old`. */
function history(audit: Partial<AuditEntry> = {}): History {
  const common = { user, verb: 'delete', code: 200, name: 'old', receivedAt: deletedAt };
  const entry = { kind: 'write', audit: { ...common, preconditions: { uid: 'old' }, ...audit }, effects: [] };
  const event = { uid: 'old', object: { spec: { nodeName: 'node-1' } } };
  return { entries: [entry], events: [event], gaps: [] } as unknown as History;
}

const fine: RecordedUpgradesRule = {
  user,
  recorded: [{ uid: 'old', isConfirmed: true }],
  fullDisks: [],
  live: new Set(['new']),
};
const fullWith = (...recorded: readonly string[]): RecordedUpgradesRule['fullDisks'] => [
  { node: 'node-1', from: 900, until: 1_100, recorded: new Set(recorded) },
];

it.each<readonly [string, Partial<RecordedUpgradesRule>, Partial<AuditEntry>, RegExp]>([
  ['a deletion that is recorded', {}, {}, /^$/],
  ['a deletion that is not recorded', { recorded: [] }, {}, /old \(old\) was deleted and is not recorded/],
  ['a refused one that is not recorded', { recorded: [] }, { code: 403 }, /^$/],
  ['one of somebody else', { recorded: [] }, { user: 'operator' }, /^$/],
  ['one while the disk is full, recorded before', { fullDisks: fullWith('old') }, {}, /^$/],
  ['one while the disk is full', { fullDisks: fullWith() }, {}, /while the disk of node-1 was full/],
  ['one after that', { fullDisks: fullWith() }, { receivedAt: 1_100 }, /^$/],
  ['a confirmed one whose pod is there', { live: new Set(['old']) }, {}, /of old is confirmed/],
  [
    'one in doubt whose pod is there',
    { live: new Set(['old']), recorded: [{ uid: 'old', isConfirmed: false }] },
    {},
    /^$/,
  ],
])('%s', (_, rule, audit, message) => {
  const violations = recordedUpgrades({ ...fine, ...rule })(history(audit));
  expect(violations.map((each) => each.message).join()).toMatch(message);
});
