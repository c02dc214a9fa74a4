export { installAgentAccess, runAgent, type AgentUnderTest, type RunningAgent } from './run-agent.ts';
