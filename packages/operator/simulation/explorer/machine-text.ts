import type { Execution } from '../../src/engine/executor/execution.ts';
import type { Reconcile } from '../../src/engine/reconcile/machine.ts';
import { resultText, resultsText } from './result-text.ts';

/**
 * One text for all machines that behave alike. The plan is named beside it, and so is what is remembered of the key; everything
 * else counts, also what a machine is given one day.
 */
export function machineText(machine: Reconcile): string {
  const { resource: _resource, key: _key, bound: _bound, memory: _memory, ...rest } = machine;
  if (!('plan' in rest)) return JSON.stringify(rest);
  const { plan: _plan, ...planned } = rest;
  const outcome = 'outcome' in planned ? planned.outcome.results.map(resultText) : [];
  const execution = 'execution' in planned ? executionText(planned.execution) : '';
  return `${JSON.stringify({ ...planned, outcome, execution: undefined })}${execution}`;
}

function executionText(execution: Execution): string {
  const { plan: _plan, steps: _steps, memory: _memory, bound: _bound, results, open, ...rest } = execution;
  const waiting = open.map(({ index, waitsFor }) => ({ index, waitsFor }));
  return `${JSON.stringify({ ...rest, open: waiting })}${resultsText(results)}`;
}
