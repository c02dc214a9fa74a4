import { expect, it } from 'vitest';
import { reasonRemedies } from './reason-remedies.ts';
import { reasonMeanings, reasonWords } from './reasons.ts';

it.each(Object.entries(reasonMeanings))(
  '%s is a word that conditions allow, and has a meaning',
  (word, meaning) => {
    // metav1.Condition: reason.
    expect(word).toMatch(/^[A-Z][A-Za-z0-9]*$/);
    expect(meaning).toMatch(/^[A-Z].*\.$/);
  },
);

it('lists every word once', () => {
  expect(new Set(reasonWords).size).toBe(reasonWords.length);
  expect(reasonWords).toEqual(Object.keys(reasonMeanings));
});

it.each(Object.entries(reasonRemedies))('%s has what to look at, and what helps', (_, { lookAt, helps }) => {
  // The first stands after a colon and gets its full stop there.
  expect(lookAt).toMatch(/[^.]$/);
  expect(helps).toMatch(/^[A-Z].*\.$/);
});
