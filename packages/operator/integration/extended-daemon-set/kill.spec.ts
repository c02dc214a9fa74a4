import { killDuringRollouts } from './kill-rollouts.ts';

killDuringRollouts({ templates: 2, killsPerTemplate: 2 });
