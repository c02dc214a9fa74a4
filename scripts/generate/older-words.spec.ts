import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  canaryReasons,
  daemonSetUpdate,
  extendedDaemonSetConditions,
  kruiseConditionReasons,
  reasonWords,
  replicaSetConditions,
} from '@atoll/api';
import { describe, expect, it } from 'vitest';
import { olderConditions, olderEvents, olderReasons } from './older-words.ts';

const root = join(import.meta.dirname, '../..');
/** Without what is in the log alone. */
const lines = readFileSync(join(root, 'packages/operator/src/messages.txt'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('  ') && !line.startsWith('  log '));
const overall = ['Ready', 'Progressing', 'Degraded', 'Stalled', 'Paused'];
/** They are of DaemonSets and pods, and on the page about their upgrades. */
const ofDaemonSets = [
  ...Object.values(daemonSetUpdate.daemonSetConditions),
  ...Object.values(daemonSetUpdate.podConditions),
];
const conditions = Object.values(olderConditions).flatMap((words) => words.map(({ word }) => word));
const reasons = olderReasons.map(({ word }) => word);
const events = olderEvents.map(({ word }) => word);

function shown(pattern: RegExp): readonly string[] {
  return [...new Set(lines.flatMap((line) => [...line.matchAll(pattern)].map(([, word = '']) => word)))];
}

describe('conditions and events explain', () => {
  it('every type of condition that an object shows', () => {
    const types = shown(/(?:^ {2}| )([\w./-]+)=(?:True|False|Unknown)\b/g);
    expect(types.filter((type) => ![...overall, ...ofDaemonSets, ...conditions].includes(type))).toEqual([]);
    const declared = [...Object.values(replicaSetConditions), ...Object.values(extendedDaemonSetConditions)];
    expect(declared.filter((type) => !conditions.includes(type))).toEqual([]);
  });

  it('every reason of a condition that an object shows', () => {
    const words = shown(/=(?:True|False|Unknown) ([A-Za-z]+):/g);
    const known: readonly string[] = [...reasonWords, ...reasons];
    expect(words.filter((word) => !known.includes(word))).toEqual([]);
    const { crashLoopBackOff, canaryFailed, outOfMemory, startError, ...ofCanaries } = canaryReasons;
    expect(known).toEqual(expect.arrayContaining([crashLoopBackOff, canaryFailed]));
    // With which a container ended: there is no end of these.
    expect([outOfMemory, startError]).toEqual(['OOMKilled', 'StartError']);
    const declared = [...Object.values(ofCanaries), ...Object.values(kruiseConditionReasons)];
    expect(declared.filter((word) => !reasons.includes(word))).toEqual([]);
  });

  it('every reason of an event', () => {
    const words = shown(/^ {2}event (?:Normal|Warning) (?:on [A-Z]\w+ \S+ )?([A-Za-z ]+):/g);
    expect(words).toContain('Failed SpecifySubsetReplicas');
    const known: readonly string[] = [...reasonWords, ...events];
    expect(words.filter((word) => !known.includes(word))).toEqual([]);
  });

  it('no word that nothing shows', () => {
    const words = shown(/^ {2}event (?:Normal|Warning) ([A-Za-z ]+):/g);
    expect(events.filter((word) => !words.includes(word))).toEqual([]);
  });

  it('by reasons of the catalogue', () => {
    const named = olderEvents.flatMap(({ see }) => see ?? []);
    expect(named.filter((word) => !(reasonWords as readonly string[]).includes(word))).toEqual([]);
  });
});

it.each([...conditions, ...reasons, ...events])('the page has the word %s', (word) => {
  const page = readFileSync(join(root, 'docs/users/conditions-and-events.md'), 'utf8');
  expect(page).toContain(`\`${word}\``);
});
