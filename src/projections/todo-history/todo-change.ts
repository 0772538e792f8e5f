/**
 * What a list changed against the list before it. Whoever replaces a list whole can lose open
 * items (reports 88), or call done what was never begun (reports 89): here it shows.
 */
import type { Todo, TodoStatus } from '../../events/todo.js';
import { foldKey } from './fold-key.js';

/** Where an item stood, and where it stands. */
export interface StatusChange {
  /** As the newer list has it. */
  readonly content: string;
  readonly from: TodoStatus;
  readonly to: TodoStatus;
}

/** From one list to the next. Order alone is no change. */
export interface TodoChange {
  /** Contents, in the order of the newer list. Their statuses stand there. */
  readonly added: readonly string[];
  /** Contents, in the order of the older list. */
  readonly dropped: readonly string[];
  /** In the order of the newer list. */
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
  /** Of items that are in both lists, in the order of the newer one. */
  readonly status: readonly StatusChange[];
}

/**
 * Compares two lists. Items with the very same content are one item; of the rest, those whose
 * contents are equal after NFC and case folding (reports 74), first with first. So "Fix" and
 * "fix" in one list are two items, and each keeps to its own as long as it is there.
 */
export function changeBetween(before: readonly Todo[], after: readonly Todo[]): TodoChange {
  const added: string[] = [];
  const renamed: { from: string; to: string }[] = [];
  const status: StatusChange[] = [];
  const { partners, left } = pairItems(before, after);
  after.forEach(({ content, status: to }, index) => {
    const partner = partners[index];
    if (partner === undefined) {
      added.push(content);
      return;
    }
    if (partner.content !== content) renamed.push({ from: partner.content, to: content });
    if (partner.status !== to) status.push({ content, from: partner.status, to });
  });
  return { added, dropped: left.map(({ content }) => content), renamed, status };
}

interface Pairs {
  /** For each item of the newer list the older item it was; undefined for a new one. */
  readonly partners: readonly (Todo | undefined)[];
  /** What no item of the newer list was, in order. */
  readonly left: readonly Todo[];
}

function pairItems(before: readonly Todo[], after: readonly Todo[]): Pairs {
  const exact = new Unpaired(before, (content) => content);
  const partners = after.map(({ content }) => exact.take(content));
  const left = exact.left();
  // Most lists keep their contents: nothing is folded for them.
  if (left.length === 0) return { partners, left };
  const folded = new Unpaired(left, foldKey);
  const all = after.map(({ content }, index) => partners[index] ?? folded.take(content));
  return { partners: all, left: folded.left() };
}

/** Items that wait for a partner of the same key; of equal keys the first comes first. */
class Unpaired {
  readonly #items: (Todo | undefined)[];
  /** Places in the list, the first one last. */
  readonly #places = new Map<string, number[]>();

  constructor(
    items: readonly Todo[],
    private readonly keyOf: (content: string) => string,
  ) {
    this.#items = [...items];
    for (let place = items.length - 1; place >= 0; place -= 1) {
      const key = keyOf(items[place]?.content ?? '');
      const places = this.#places.get(key);
      if (places === undefined) this.#places.set(key, [place]);
      else places.push(place);
    }
  }

  take(content: string): Todo | undefined {
    const place = this.#places.get(this.keyOf(content))?.pop();
    if (place === undefined) return undefined;
    const item = this.#items[place];
    this.#items[place] = undefined;
    return item;
  }

  left(): Todo[] {
    return this.#items.filter((item) => item !== undefined);
  }
}
