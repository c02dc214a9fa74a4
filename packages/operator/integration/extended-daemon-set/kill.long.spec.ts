import { killDuringRollouts } from './kill-rollouts.ts';

killDuringRollouts({ templates: 5, killsPerTemplate: 4 });
