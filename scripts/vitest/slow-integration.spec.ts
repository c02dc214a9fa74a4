import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import { root } from '../checks.ts';
import { slowIntegration } from './slow-integration.ts';

it.each(slowIntegration)('there are tests in %s', (files) => {
  expect(globSync(files, { cwd: root })).not.toEqual([]);
});
