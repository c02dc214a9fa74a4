import { killPoolWorkloads } from './kill-pool-workloads.ts';

killPoolWorkloads({ objects: 24, kills: 8, electionRounds: [5, 6] });
