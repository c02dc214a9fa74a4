export { installKruiseKinds, removeKruiseKinds } from './install.ts';
export {
  startSimulatedKruise,
  type SimulatedKruise,
  type SimulatedKruiseOptions,
} from './simulated-kruise.ts';
