/** Injection token of the process's event log. */
export const EVENT_LOG = Symbol('EventLog');
