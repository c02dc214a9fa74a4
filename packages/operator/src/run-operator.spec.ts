import { silentLogger } from '@atoll/kube';
import { expect, it } from 'vitest';
import { kindDefinitions } from './definitions/kind-definitions.ts';
import { runOperator } from './run-operator.ts';
import { operatorCommand, readOptions } from './start-up/options/operator-options.ts';

it('does not start with a kind whose writes go into no cache', async () => {
  const options = readOptions(operatorCommand('1.0.0', []).parse([], { from: 'user' }));
  const environment = { version: '1.0.0', variables: {}, logger: silentLogger };
  const forgetful = kindDefinitions.map(({ reads: { deployments: _deployments, ...reads }, ...rest }) => ({
    ...rest,
    reads,
  }));
  await expect(runOperator(options, forgetful, environment, AbortSignal.abort())).rejects.toThrow(
    'united-daemon-set writes deployments.apps and reads no cache of it',
  );
});
