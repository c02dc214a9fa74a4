import { killPoolWorkloads } from './kill-pool-workloads.ts';

killPoolWorkloads({ objects: 60, kills: 20, electionRounds: [9, 10, 11] });
