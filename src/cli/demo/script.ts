/** What a scripted session does, step by step, in the words that scripts are written in. */
import type { Todo } from '../../events/todo.js';

export type Step =
  /** The run begins; what the last one left is cleared. */
  | { readonly does: 'start'; readonly turnId: string }
  /** The agent calls the tool with its list. */
  | { readonly does: 'plan'; readonly todos: readonly Todo[]; readonly note: string }
  /** A call as models get it wrong: the answer says how to correct it, the list stays. */
  | { readonly does: 'slip'; readonly arguments: unknown; readonly note: string }
  | { readonly does: 'end'; readonly outcome: 'completed' | 'failed' | 'aborted' }
  /** Another attempt from here, which then goes its own way. */
  | { readonly does: 'fork'; readonly into: Script }
  | { readonly does: 'delete' };

export interface Script {
  /** Also the end of the session's id. */
  readonly name: string;
  /** What the session's view says at the end. */
  readonly ends: 'finished' | 'failed' | 'interrupted' | 'running' | 'idle' | 'deleted';
  readonly steps: readonly Step[];
}

const MARKS = { '-': 'pending', '>': 'in_progress', x: 'completed' } as const;

export function start(turnId: string): Step {
  return { does: 'start', turnId };
}

/** @param lines one for each item: `- pending`, `> in progress`, `x completed` */
export function plan(note: string, ...lines: string[]): Step {
  return { does: 'plan', note, todos: lines.map(toTodo) };
}

export function slip(note: string, args: unknown): Step {
  return { does: 'slip', note, arguments: args };
}

export function end(outcome: 'completed' | 'failed' | 'aborted'): Step {
  return { does: 'end', outcome };
}

function toTodo(line: string): Todo {
  const mark = line.charAt(0);
  if (mark !== '-' && mark !== '>' && mark !== 'x') throw new TypeError(`no mark in ${line}`);
  return { status: MARKS[mark], content: line.slice(2) };
}
