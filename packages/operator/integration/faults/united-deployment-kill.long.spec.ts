import { killUnitedDeployments } from '../united-deployment/kill.ts';

killUnitedDeployments({ objects: 20, kills: 20 });
