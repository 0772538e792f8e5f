import {
  decideEndTurn,
  decideStartTurn,
  type EndTurnIntent,
  type StartTurnIntent,
} from '../../../src/commands/session/decide-turn.js';
import type { Decide } from '../../../src/commands/session/session-transactions.js';
import { born, deleted, ended, given, item, start, wrote } from './session-scenario.js';

const startTurn =
  (turnId: string, more: Partial<StartTurnIntent> = {}): Decide =>
  (state, known) =>
    decideStartTurn(state, { turnId, supersede: undefined, ifMatch: undefined, ...more }, known);
const endTurn =
  (turnId: string, more: Partial<EndTurnIntent> = {}): Decide =>
  (state, known) =>
    decideEndTurn(state, { turnId, outcome: 'completed', ifMatch: undefined, ...more }, known);

const turnStart = (turnId: string) => ({ type: 'turn/start', data: { turnId } }) as const;
const turnEnd = (turnId: string, outcome: 'completed' | 'aborted' | 'failed' | 'superseded') =>
  ({ type: 'turn/end', data: { turnId, outcome } }) as const;
const sessionStart = { type: 'session/start', data: { origin: { kind: 'new' } } } as const;

describe('StartTurn', () => {
  it('creates the session on first use', () => {
    given().when(startTurn('t1')).appends(sessionStart, turnStart('t1'));
  });

  it('opens a turn in a session that has none', () => {
    given(born()).when(startTurn('t1')).appends(turnStart('t1'));
  });

  it('opens a turn when the latest has ended', () => {
    given(born(), start('t1'), ended('t1')).when(startTurn('t2')).appends(turnStart('t2'));
  });

  it('is refused while a turn is open, and names it', () => {
    given(born(), start('t1'))
      .when(startTurn('t2'))
      .refuses('turn_already_open', { openTurnId: 't1' });
  });

  it.each([['t1'], [true]] as const)('supersedes the open turn (%s) in one append', (supersede) => {
    given(born(), start('t1'))
      .when(startTurn('t2', { supersede }))
      .appends(turnEnd('t1', 'superseded'), turnStart('t2'));
  });

  it('does not supersede another turn than the one named', () => {
    given(born(), start('t1'))
      .when(startTurn('t3', { supersede: 't0' }))
      .refuses('turn_mismatch', { openTurnId: 't1' });
  });

  it('has nothing to supersede when no turn is open', () => {
    given(born(), start('t1'), ended('t1'))
      .when(startTurn('t2', { supersede: 't1' }))
      .appends(turnStart('t2'));
  });

  it('refuses the id of the latest turn, ended or superseded', () => {
    given(born(), start('t1'), ended('t1')).when(startTurn('t1')).refuses('turn_id_reused');
    given(born(), start('t1'))
      .when(startTurn('t1', { supersede: 't1' }))
      .refuses('turn_id_reused');
  });

  it('is refused in a deleted session', () => {
    given(born(), deleted()).when(startTurn('t1')).refuses('session_deleted');
  });

  describe('repeated', () => {
    it('gives the first receipt, also after other events of the turn', () => {
      given(born('a'), start('t1', 'a'), wrote('t1', [item('x')]), ended('t1'))
        .when(startTurn('t1'), 'a')
        .repeats(1);
    });

    it('with another turn id is a conflict', () => {
      given(born('a'), start('t1', 'a')).when(startTurn('t2'), 'a').refuses('idempotency_conflict');
    });

    it('with the key of another kind of command is a conflict', () => {
      given(born('a'), start('t1', 'a'), ended('t1', 'completed', 'b'))
        .when(startTurn('t2'), 'b')
        .refuses('idempotency_conflict');
    });

    it('comes before If-Match: a retry is not refused by its own effect', () => {
      given(born(), start('t0'), ended('t0'), start('t1', 'a'))
        .when(startTurn('t1', { ifMatch: [2n] }), 'a')
        .repeats(3);
    });
  });

  describe('If-Match', () => {
    it('must hold the revision of the last event of ours', () => {
      given(born(), start('t1'), ended('t1'))
        .when(startTurn('t2', { ifMatch: [2n] }))
        .appends(turnStart('t2'));
      given(born(), start('t1'), ended('t1'))
        .when(startTurn('t2', { ifMatch: [1n] }))
        .refuses('revision_conflict', { currentRevision: 2n });
    });

    it('skips events of others', () => {
      given(born(), start('t1'), ended('t1'), { type: 'note', data: {} })
        .when(startTurn('t2', { ifMatch: [2n] }))
        .appends(turnStart('t2'));
    });

    it('* means that the session exists', () => {
      given(born())
        .when(startTurn('t1', { ifMatch: '*' }))
        .appends(turnStart('t1'));
      given()
        .when(startTurn('t1', { ifMatch: '*' }))
        .refuses('revision_conflict', { currentRevision: null });
    });

    it('is checked after the turn', () => {
      given(born(), start('t1'))
        .when(startTurn('t2', { ifMatch: [0n] }))
        .refuses('turn_already_open');
    });
  });
});

describe('EndTurn', () => {
  it.each(['completed', 'aborted', 'failed'] as const)('closes the open turn as %s', (outcome) => {
    given(born(), start('t1')).when(endTurn('t1', { outcome })).appends(turnEnd('t1', outcome));
  });

  it('is done already where the latest turn ended with this outcome', () => {
    given(born(), start('t1'), ended('t1', 'failed', 'a'))
      .when(endTurn('t1', { outcome: 'failed' }))
      .repeats(2);
  });

  it('is refused where the latest turn ended otherwise', () => {
    given(born(), start('t1'), ended('t1', 'failed'))
      .when(endTurn('t1', { outcome: 'completed' }))
      .refuses('turn_not_open');
  });

  it('is refused while another turn is open, and names that', () => {
    given(born(), start('t1'), ended('t1'), start('t2'))
      .when(endTurn('t1'))
      .refuses('turn_mismatch', { openTurnId: 't2' });
  });

  it('is refused where no turn is open, whichever is named', () => {
    given(born()).when(endTurn('t1')).refuses('turn_not_open');
    given(born(), start('t1'), ended('t1')).when(endTurn('t0')).refuses('turn_not_open');
  });

  it('is refused in no session and in a deleted one', () => {
    given().when(endTurn('t1')).refuses('session_not_found');
    given(born(), deleted()).when(endTurn('t1')).refuses('session_deleted');
  });

  it('repeated gives the first receipt; with other content it is a conflict', () => {
    const turn = given(born(), start('t1'), ended('t1', 'completed', 'a'));
    turn.when(endTurn('t1'), 'a').repeats(2);
    turn.when(endTurn('t1', { outcome: 'failed' }), 'a').refuses('idempotency_conflict');
  });

  it('a repeat from before the latest turn is refused by its turn', () => {
    given(born(), start('t1'), ended('t1', 'completed', 'a'), start('t2'))
      .when(endTurn('t1'), 'unknown')
      .refuses('turn_mismatch');
  });

  it('honours If-Match', () => {
    given(born(), start('t1'))
      .when(endTurn('t1', { ifMatch: [0n] }))
      .refuses('revision_conflict', { currentRevision: 1n });
  });
});

describe('an incoherent stream', () => {
  it.each([
    ['a list before any turn', [born(), wrote('t1', [])]],
    ['the end of a turn that is not open', [born(), start('t1'), ended('t2')]],
    ['an unreadable turn event', [born(), { type: 'turn/start', data: {} }]],
    ['a list with nothing before it', [wrote('t1', [])]],
  ])('is refused: %s', (_, events) => {
    given(...events)
      .when(startTurn('t9', { supersede: true }))
      .refuses('session_unreadable');
    given(...events)
      .when(endTurn('t1'))
      .refuses('session_unreadable');
  });

  it('is mended by the next turn that can be read', () => {
    given(born(), start('t1'), ended('t2'), start('t3'))
      .when(endTurn('t3'))
      .appends(turnEnd('t3', 'completed'));
  });
});
