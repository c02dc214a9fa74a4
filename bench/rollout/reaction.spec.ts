import { expect, test } from 'vitest';
import type { AuditEntry } from '@atoll/testbed';
import { entry } from './audit-entry.fixture.ts';
import { reactionIn } from './reaction.ts';

const kind = { group: 'example.com', plural: 'things' };
const asked = entry({ resource: 'things.example.com', userAgent: 'bench', receivedAt: 90, at: 100 });

function child(receivedAt: number, change: Partial<AuditEntry> = {}): AuditEntry {
  return entry({ resource: 'deployments.apps', receivedAt, at: receivedAt + 50, ...change });
}

test("it lasts from the answer to the user until the last child's write is received", () => {
  const status = entry({ resource: 'things.example.com', subresource: 'status', at: 95 });
  const entries = [status, asked, child(130), child(110)];
  expect(reactionIn(entries, kind)).toEqual({ childWrites: 2, afterMs: 30 });
});

test("others' writes of children are no reaction", () => {
  const entries = [asked, child(110), child(500, { userAgent: 'kubectl/v1.36.3' })];
  expect(reactionIn(entries, kind)).toEqual({ childWrites: 1, afterMs: 10 });
});

test('where no child is written there is no time', () => {
  expect(reactionIn([asked], kind)).toEqual({ childWrites: 0, afterMs: Number.NaN });
});
