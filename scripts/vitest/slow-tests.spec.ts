import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import { root } from '../checks.ts';
import { slowExplorations, slowIntegration } from './slow-tests.ts';

it.each([...slowIntegration, ...slowExplorations])('there are tests in %s', (files) => {
  expect(globSync(files, { cwd: root })).not.toEqual([]);
});
