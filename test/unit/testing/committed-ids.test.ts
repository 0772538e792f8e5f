/**
 * The stand-in's memory of event ids.
 */
import { CommittedIds } from '../../../src/testing/eventstore-stand-in/store/committed-ids.js';

const at = (revision: bigint) => ({ stream: 's', revision });

describe('committed ids', () => {
  test('are forgotten from the oldest on, beyond the limit', () => {
    const ids = new CommittedIds(2);
    for (const [revision, id] of ['a', 'b', 'c', 'd', 'e'].entries()) {
      ids.add(id, at(BigInt(revision)));
    }
    const known = ['a', 'b', 'c', 'd', 'e'].filter((id) => ids.get(id) !== undefined);
    expect(known).toEqual(['d', 'e']);
  });

  test('keep their latest place', () => {
    const ids = new CommittedIds(2);
    ids.add('a', at(0n));
    ids.add('a', at(3n));
    ids.add('b', at(4n));
    expect(ids.get('a')).toEqual(at(3n));
    expect(ids.get('b')).toEqual(at(4n));
  });

  test('are all forgotten at once by a new epoch', () => {
    const ids = new CommittedIds(2);
    ids.add('a', at(0n));
    ids.add('b', at(1n));
    ids.forget();
    ids.add('c', at(2n));
    ids.add('d', at(3n));
    const known = ['a', 'b', 'c', 'd'].filter((id) => ids.get(id) !== undefined);
    expect(known).toEqual(['c', 'd']);
  });
});
