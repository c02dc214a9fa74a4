// Set-up of tests that only compute: tests that wait for a control plane, with deadlines, get the processor first.
import { setPriority } from 'node:os';

setPriority(5);
