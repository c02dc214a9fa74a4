import { expect, it } from 'vitest';
import { readable } from './readable.ts';

it.each([
  ['one line\n  of two.', 'one line of two'],
  [
    'dial tcp 10.0.0.1:43210->10.0.0.2:443: connection reset',
    'dial tcp 10.0.0.1->10.0.0.2:443: connection reset',
  ],
  ['pods "web-7d9f-x8k2p" is forbidden: exceeded quota', 'pods is forbidden: exceeded quota'],
  ['back-off 2m40s restarting failed container', 'back-off restarting failed container'],
  ['/var/lib/kubelet/pods/0b9ea1b0-43ae-4e5c-9d3b-6d5c9f0a8e11/volumes', '/var/lib/kubelet/pods/…/volumes'],
  ['0/3 nodes are available', '0/3 nodes are available'],
])('leaves of %s what stays the same: %s', (message, text) => {
  expect(readable(message)).toBe(text);
});

it('is bounded', () => {
  const text = readable(`failed to do${' x'.repeat(500)}: connection refused`);
  expect(Buffer.byteLength(text)).toBe(160);
  expect(text).toMatch(/^failed to do .*….* x: connection refused$/);
});

it('has no half of a character, in whose place the API server would keep another', () => {
  for (let before = 0; before < 4; before++) {
    expect(readable(`${'x'.repeat(before)}${'😀'.repeat(200)}`).isWellFormed()).toBe(true);
  }
});
