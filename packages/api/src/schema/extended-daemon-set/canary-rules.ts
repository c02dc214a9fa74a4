import { extendedDaemonSetDefaults } from '../../extended-daemon-set/defaults.ts';
import { ratcheted, type CelRule } from '../markers.ts';
import { isDurationText } from './values.ts';

const { canary: defaults } = extendedDaemonSetDefaults;

/** CEL of a field of `autoPause` or `autoFail`, with its default. */
function orDefault(self: string, part: 'autoPause' | 'autoFail', field: 'enabled' | 'maxRestarts'): string {
  const path = `${self}.${part}.${field}`;
  return `(has(${self}.${part}) && has(${path}) ? ${path} : ${defaults[part][field]})`;
}

function isMode(self: string, mode: string): string {
  return `(has(${self}.validationMode) && ${self}.validationMode == '${mode}')`;
}

/**
 * The old operator accepted such objects and did nothing with them: its validation failed for ever, reported in its
 * log alone. Both enabled is the default, and so are 2 and 5.
 */
const failsAfterPausing = ratcheted(
  (self) =>
    `!${orDefault(self, 'autoFail', 'enabled')} || !${orDefault(self, 'autoPause', 'enabled')} || ` +
    `${orDefault(self, 'autoFail', 'maxRestarts')} >= ${orDefault(self, 'autoPause', 'maxRestarts')}`,
  'autoFail.maxRestarts (5 where left out) must be at least autoPause.maxRestarts (2 where left out), so that a canary is paused before it fails',
);

/**
 * As above. Where neither mode nor duration is given, the operator's own default mode decides, which no rule sees:
 * then the operator reports it (`strategyProblems`).
 */
const timesOutAfterDuration = ratcheted((self) => {
  const timeout = `${self}.autoFail.canaryTimeout`;
  const given = `has(${self}.duration)`;
  const duration = `(${given} ? ${self}.duration : '${defaults.duration}')`;
  return (
    `!${orDefault(self, 'autoFail', 'enabled')} || !has(${self}.autoFail) || !has(${timeout}) || ` +
    `${isMode(self, 'manual')} || !(${given} || ${isMode(self, 'auto')}) || ` +
    `!${isDurationText(timeout)} || !${isDurationText(duration)} || duration(${timeout}) > duration(${duration})`
  );
}, 'autoFail.canaryTimeout must be longer than duration (10m where left out), or no canary lives long enough to be promoted');

/**
 * As above, but for the two texts that the old operator itself wrote into the spec: who changes the mode of such an object to
 * manual need not know of them, and they are ignored.
 */
const manualHasNoDurations = ratcheted(
  (self) =>
    `!${isMode(self, 'manual')} || (` +
    `(!has(${self}.duration) || ${self}.duration == '${defaults.duration}') && ` +
    `(!has(${self}.noRestartsDuration) || ${self}.noRestartsDuration == '${defaults.noRestartsDuration}'))`,
  'duration and noRestartsDuration must be left out where validationMode is manual: the canary is promoted by a user, with kubectl eds canary validate',
);

/** Rules of `spec.strategy.canary`. */
export const canaryRules: readonly CelRule[] = [
  ...failsAfterPausing,
  ...timesOutAfterDuration,
  ...manualHasNoDurations,
];
