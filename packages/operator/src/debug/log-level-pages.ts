import { logLevels, type AdjustableLevel, type GuardedPage, type Logger } from '@atoll/kube';

const path = '/debug/log-level';

/** Shows the level of the log, and changes it until the process ends. */
export function logLevelPages(log: AdjustableLevel, logger: Logger): readonly GuardedPage[] {
  return [
    { method: 'GET', path, answer: () => ({ code: 200, body: `${log.level()}\n` }) },
    {
      method: 'PUT',
      path,
      answer: (_, body) => {
        const asked = body.trim();
        const level = logLevels.find((each) => each === asked);
        if (level === undefined) {
          const body = `${JSON.stringify(asked)} is no level: send ${logLevels.join(', ')} as the body.\n`;
          return { code: 400, body };
        }
        const from = log.level();
        // Whatever the two levels hide: this line explains why others are missing.
        log.setLevel('info');
        logger.info({ from, to: level }, 'log level changed');
        log.setLevel(level);
        return { code: 200, body: `${level}\n` };
      },
    },
  ];
}
