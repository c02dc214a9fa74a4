import { killUnitedDeployments } from '../united-deployment/kill.ts';

killUnitedDeployments({ objects: 8, kills: 4 });
