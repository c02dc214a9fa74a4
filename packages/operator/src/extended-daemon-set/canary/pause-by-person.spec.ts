import { describe, expect, it } from 'vitest';
import { pauseByPerson, pauseMessage } from './pause-by-person.ts';

describe('a pause by a person', () => {
  it.each([
    ['a person paused it', 'set'],
    ['a person paused it; removing the annotation canary-paused is not enough', 'removed'],
  ] as const)('is read as it was recorded by 0.4.0 and later: %s', (message, annotation) => {
    expect(pauseByPerson(message)).toBe(annotation);
  });

  it.each(['set', 'removed'] as const)('is recorded in words that are read: %s', (annotation) => {
    expect(pauseByPerson(pauseMessage(annotation))).toBe(annotation);
    expect(pauseByPerson(pauseMessage(annotation, 'Pod agent-2-x cannot start'))).toBe(annotation);
  });

  it.each(['', 'it was paused before', 'pod agent-2-x has restarted 3 times, more than 2'])(
    'is not what is recorded of another one: %j',
    (message) => {
      expect(pauseByPerson(message)).toBeUndefined();
    },
  );
});
