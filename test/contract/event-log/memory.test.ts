/** The log in memory keeps the contract. */
import { MemoryEventLog } from '../../../src/testing/memory-event-log.js';
import { describeEventLogContract } from './event-log-contract.js';

describeEventLogContract('in memory', () => Promise.resolve(new MemoryEventLog()));
