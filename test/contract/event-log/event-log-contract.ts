/** The contract of the event log: one suite, run by every adapter. */
import type { EventLog } from '../../../src/events/log/event-log.js';
import { describeAppends } from './append-contract.js';
import { describeModel } from './model-contract.js';
import { describePulls } from './pull-contract.js';
import { EXCLUSIVE, type LogTraits } from './log-traits.js';
import { describeReads } from './read-contract.js';

/** @param openLog opens a new, empty log; the suite closes it */
export function describeEventLogContract(
  name: string,
  openLog: () => Promise<EventLog>,
  traits: LogTraits = EXCLUSIVE,
): void {
  describe(`the event log contract: ${name}`, () => {
    describeWithLog(openLog, (log) => {
      describeAppends(log, traits);
      describeReads(log, traits);
      describePulls(log, traits);
    });
    describeModel(openLog, traits);
  });
}

/** Runs a part of the contract, each test on a log of its own. */
export function describeWithLog(
  openLog: () => Promise<EventLog>,
  part: (log: () => EventLog) => void,
): void {
  describe('with a new log', () => {
    let log: EventLog | undefined;
    beforeEach(async () => {
      log = await openLog();
    });
    afterEach(async () => {
      await log?.close();
    });
    part(() => {
      if (log === undefined) throw new Error('no log is open');
      return log;
    });
  });
}
