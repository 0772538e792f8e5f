/** What the model reads back from a call: the same words for the same outcome, every time. */
import type { Todo, TodoCounts } from '../../../events/todo.js';
import type { InputFault, Refusal } from '../../refusals.js';
import { CALL_EXAMPLE } from './read-arguments.js';

/** The result of a tool call, in the form that MCP gives it. */
export interface ToolResult {
  readonly isError: boolean;
  readonly content: readonly [{ readonly type: 'text'; readonly text: string }];
  readonly structuredContent?: {
    readonly todos: readonly Todo[];
    readonly counts: TodoCounts;
    readonly revision: string;
  };
}

/**
 * @param dropped surplus fields that were left out
 * @param hints advice from the receipt
 */
export function acceptedResult(
  written: {
    readonly todos: readonly Todo[];
    readonly counts: TodoCounts;
    readonly revision: bigint;
  },
  dropped: readonly string[],
  hints: readonly string[],
): ToolResult {
  const { todos, counts, revision } = written;
  const lines = [`Updated todo list: ${countsText(counts)}.`];
  if (dropped.length > 0) {
    lines.push(`Dropped fields that items do not have: ${dropped.join(', ')}.`);
  }
  const structuredContent = { todos, counts, revision: revision.toString() };
  return { isError: false, content: text([...lines, ...hints]), structuredContent };
}

/** @param standing counts of the list as it stands; undefined where there is none to have */
export function refusedResult(
  { detail, errors = [] }: Pick<Refusal, 'detail' | 'errors'>,
  standing: TodoCounts | undefined,
): ToolResult {
  const lines = [`The todo list was not changed. ${detail}`, ...errors.map(faultText)];
  if (standing !== undefined) lines.push(`Current list: ${countsText(standing)}.`);
  if (errors.length > 0) lines.push(`Send the whole list again, such as ${CALL_EXAMPLE}.`);
  return { isError: true, content: text(lines) };
}

function faultText({ path, message }: InputFault): string {
  return `- ${path} ${message}`;
}

function countsText({ pending, inProgress, completed }: TodoCounts): string {
  return `${pending} pending, ${inProgress} in progress, ${completed} completed`;
}

function text(lines: readonly string[]): ToolResult['content'] {
  return [{ type: 'text', text: lines.join('\n') }];
}
