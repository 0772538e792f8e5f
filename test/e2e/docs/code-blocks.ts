/** The code blocks of a document, in order. */
import { readFileSync } from 'node:fs';

export interface CodeBlock {
  readonly language: string;
  readonly text: string;
  /** Of its first line. */
  readonly line: number;
}

export function codeBlocks(path: string): CodeBlock[] {
  const source = readFileSync(path, 'utf8');
  return [...source.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    language: match[1] ?? '',
    text: (match[2] ?? '').trim(),
    line: source.slice(0, match.index).split('\n').length + 1,
  }));
}
