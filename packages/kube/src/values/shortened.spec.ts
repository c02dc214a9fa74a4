import { expect, test } from 'vitest';
import { shortened } from './shortened.ts';

test('a text that fits stays as it is', () => {
  expect(shortened('pod web-0: not found', 20)).toBe('pod web-0: not found');
});

test('of a longer one the middle goes, so that what is wrong and what to do are both read', () => {
  expect(shortened(`pod web-0 fails: ${'x'.repeat(100)}. Delete it`, 43)).toBe(
    'pod web-0 fails: xxx…xxxxxxxxx. Delete it',
  );
});

test.each(['ü', '€', '😀', 'aü€😀'])('bytes are counted, and no character is cut: %s', (sign) => {
  for (let bytes = 40; bytes < 60; bytes++) {
    const text = shortened(sign.repeat(50), bytes);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(bytes);
    expect(Buffer.byteLength(text)).toBeGreaterThan(bytes - 8);
    expect(text.replace('…', '')).toMatch(new RegExp(`^[${sign}]+$`, 'u'));
    expect(text).toContain('…');
  }
});
