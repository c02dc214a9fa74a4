import { killUnitedDeployments } from '../united-deployment/kill.ts';

killUnitedDeployments({ objects: 12, kills: 8 });
