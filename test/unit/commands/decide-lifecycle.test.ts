import {
  decideDelete,
  decideFork,
  type DeleteIntent,
  type ForkIntent,
} from '../../../src/commands/session/decide-lifecycle.js';
import type { Decide } from '../../../src/commands/session/session-transactions.js';
import { born, deleted, forkedFrom, given, start, wrote, item } from './session-scenario.js';

const fork =
  (source: ReturnType<typeof given>, more: Partial<ForkIntent> = {}): Decide =>
  (state, known) =>
    decideFork(state, { source: source.state, sourceId: 's1', ifMatch: undefined, ...more }, known);
const del =
  (more: Partial<DeleteIntent> = {}): Decide =>
  (state, known) =>
    decideDelete(state, { ifMatch: undefined, ...more }, known);

const forked = {
  type: 'session/start',
  data: { origin: { kind: 'fork', sessionId: 's1' } },
} as const;
const gone = { type: 'session/delete', data: {} } as const;

describe('ForkSession', () => {
  const source = given(born(), start('t1'), wrote('t1', [item('a')]));

  it('starts an empty session that names its source, with no turn', () => {
    given().when(fork(source)).appends(forked);
  });

  it('needs a source', () => {
    given().when(fork(given())).refuses('session_not_found');
    given()
      .when(fork(given(born(), deleted())))
      .refuses('session_deleted');
  });

  it('needs an id that was never used', () => {
    given(born()).when(fork(source)).refuses('session_exists');
    given(forkedFrom('s1', 'other')).when(fork(source)).refuses('session_exists');
    given(deleted()).when(fork(source)).refuses('session_exists');
  });

  it('repeated gives the same receipt', () => {
    given(forkedFrom('s1', 'k')).when(fork(source), 'k').repeats(0);
  });

  it('with the key of another creation is a conflict', () => {
    given(forkedFrom('s0', 'k')).when(fork(source), 'k').refuses('idempotency_conflict');
    given(born('k')).when(fork(source), 'k').refuses('idempotency_conflict');
  });

  it("honours If-Match, which is about the source's revision", () => {
    given()
      .when(fork(source, { ifMatch: [2n] }))
      .appends(forked);
    given()
      .when(fork(source, { ifMatch: [0n] }))
      .refuses('revision_conflict', { currentRevision: 2n });
  });
});

describe('DeleteSession', () => {
  it('marks the session, with or without an open turn', () => {
    given(born()).when(del()).appends(gone);
    given(born(), start('t1')).when(del()).appends(gone);
  });

  it('again is the same receipt, under any key and any If-Match', () => {
    given(born(), deleted('k')).when(del()).repeats(1);
    given(born(), deleted('k'))
      .when(del({ ifMatch: [0n] }), 'k')
      .repeats(1);
  });

  it('needs a session', () => {
    given().when(del()).refuses('session_not_found');
  });

  it('works where the stream is unreadable', () => {
    given(born(), { type: 'turn/start', data: {} }).when(del()).appends(gone);
  });

  it('honours If-Match', () => {
    given(born())
      .when(del({ ifMatch: [1n] }))
      .refuses('revision_conflict', { currentRevision: 0n });
  });

  it('under the key of another command is a conflict', () => {
    given(born(), start('t1', 'k')).when(del(), 'k').refuses('idempotency_conflict');
  });
});
