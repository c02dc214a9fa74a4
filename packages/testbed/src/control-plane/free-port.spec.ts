import { expect, it } from 'vitest';
import { freePorts } from './free-port.ts';

it('finds ports that are all different, and that no outgoing connection is given', async () => {
  const ports = await freePorts(50);
  expect(new Set(ports).size).toBe(50);
  expect(Math.max(...ports)).toBeLessThan(32_768);
});
