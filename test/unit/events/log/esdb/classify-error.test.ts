/** What errors mean for an append: only what surely stored nothing says so. */
import {
  AccessDeniedError,
  DeadlineExceededError,
  UnknownError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import {
  classifyAppend,
  classifyCall,
  settingProblem,
} from '../../../../../src/events/log/esdb/classify-error.js';

const LONG = 10_000;
const raw = (code: number, message: string): Error =>
  Object.assign(new Error(message), { code, details: message });
const typed = (type: string, code: number | undefined, message: string): Error =>
  Object.assign(new Error(message), { type, ...(code === undefined ? {} : { code }) });

describe('an append that failed', () => {
  it.each([
    ['a new stream', 'no_stream' as const, null],
    ['another revision', 7n, 7n],
    ['a revision above 2^53', 2n ** 60n, 2n ** 60n],
  ])('is a conflict with its true revision: %s', (_, current, actual) => {
    const versions = { streamName: 's', current, expected: 3n };
    const error = new WrongExpectedVersionError(undefined, versions);
    expect(classifyAppend(error, 'batch', 1, LONG)).toEqual({ kind: 'conflict', actual });
  });

  it.each([
    [
      'no connection, asked for methods (A10)',
      raw(14, '14 UNAVAILABLE: ECONNREFUSED'),
      'unreachable',
    ],
    ['no node found', new Error('Failed to discover after 10 attempts.'), 'unreachable'],
    [
      'not ready',
      new UnknownError(undefined, 'Could not recognize Server Is Not Ready'),
      'not_ready',
    ],
    ['busy', new UnknownError(undefined, 'Could not recognize Server Is Busy'), 'not_ready'],
    ['malformed', new UnknownError(undefined, 'Could not recognize BadRequest'), 'refused'],
    ['denied', new AccessDeniedError(), 'refused'],
    ['wrong password', typed('access-denied', 16, 'Bad HTTP authentication'), 'refused'],
  ])('stored nothing: %s', (_, error, kind) => {
    expect(classifyAppend(error, 'batch', 1, LONG)).toMatchObject({ kind });
  });

  it.each([
    ['reset', typed('unavailable', 14, 'read ECONNRESET')],
    ['shutting down', typed('unavailable', 14, 'Server Is Shutting Down')],
    ['dropped', typed('unavailable', 14, 'Connection dropped')],
    ['cancelled by dispose', typed('unknown', 1, 'Cancelled on client')],
    ['not the leader', typed('not-leader', 5, 'Leader info available')],
    ['commit timeout', typed('timeout', 10, 'aborted')],
    ['the whole stream was denied', typed('access-denied', 7, 'denied')],
    ['an answer nobody knows', new UnknownError(undefined, 'Could not recognize Something')],
    ['a fault of the client', new TypeError('x is not a function')],
    ['not even an error', 'text'],
    ['nothing', undefined],
  ])('may be stored: %s', (_, error) => {
    expect(classifyAppend(error, 'batch', 1, LONG)).toMatchObject({ kind: 'unknown' });
  });

  it('wants a new client after an internal error (E 14)', () => {
    const error = typed('unknown', 13, 'Internal');
    expect(classifyAppend(error, 'batch', 1, LONG)).toEqual({ kind: 'unknown', suspect: true });
  });

  it('tells a clock that is behind from a server that is slow', () => {
    const error = new DeadlineExceededError();
    expect(classifyAppend(error, 'batch', 50, LONG)).toEqual({ kind: 'clock_behind' });
    expect(classifyAppend(error, 'batch', 2_000, LONG)).toMatchObject({ kind: 'unknown' });
    expect(classifyAppend(error, 'classic', 50, LONG)).toMatchObject({ kind: 'unknown' });
  });

  it('may be stored on the classic path, where nothing is asked before', () => {
    const error = raw(14, '14 UNAVAILABLE: read ECONNRESET');
    expect(classifyAppend(error, 'classic', 1, LONG)).toMatchObject({ kind: 'unknown' });
  });
});

describe('a call that failed', () => {
  it.each([
    [typed('stream-not-found', undefined, ''), { kind: 'no_stream' }],
    [typed('stream-deleted', 9, ''), { kind: 'refused' }],
    [typed('access-denied', 7, ''), { kind: 'refused' }],
    [typed('unavailable', 14, 'read ECONNRESET'), { kind: 'unreachable' }],
    [typed('unknown', 2, 'Exception was thrown by handler.'), { kind: 'unreachable' }],
    [raw(14, 'no connection'), { kind: 'unreachable' }],
  ])('%s', (error, expected) => {
    expect(classifyCall(error, 'read')).toMatchObject(expected);
  });
});

describe('what a person has to mend', () => {
  it.each([
    ['unable to verify the first certificate', 'tlsCAFile'],
    ['self-signed certificate in certificate chain', 'tlsCAFile'],
    ['write EPROTO: wrong version number', 'tls=false'],
  ])('%s', (text, named) => {
    expect(settingProblem(raw(14, text))).toContain(named);
  });

  it('is not an outage', () => {
    expect(settingProblem(raw(14, 'connect ECONNREFUSED 127.0.0.1:2113'))).toBeUndefined();
    expect(settingProblem(typed('unavailable', 14, 'Server Is Not Ready'))).toBeUndefined();
  });
});
