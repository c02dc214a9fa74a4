import { killPoolWorkloads } from './kill-pool-workloads.ts';

killPoolWorkloads({ objects: 24, kills: 4, electionRounds: [3, 4] });
