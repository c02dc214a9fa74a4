import { join } from 'node:path';
import { Supervisor } from './supervisor.ts';

/** A process that owns one program and waits to be killed. */
const [, , directory = '', file] = process.argv;
const supervisor = new Supervisor(directory, file, () => undefined);
const pid = await supervisor.start({
  name: 'program',
  file: '/bin/sleep',
  args: ['300'],
  logFile: join(directory, 'program.log'),
  layer: 1,
});
process.send?.(pid);
