import { describe, expect, it } from 'vitest';
import { newDiscoveries } from './heard-discoveries.ts';

const first = { subtask_id: 'b', summary: 'there is\n a v2' };
const second = { subtask_id: 'c', summary: 'the port is taken' };

describe('newDiscoveries', () => {
  it('has nothing to say when nothing was found', () => {
    expect(newDiscoveries([], [])).toBeNull();
  });

  it('tells each discovery once, one line each', () => {
    const heard = newDiscoveries([], [first]);
    expect(heard?.role).toBe('user');
    expect(heard?.content.split('\n').slice(1)).toEqual(['- b: there is a v2']);
    const journal = heard === null ? [] : [heard];
    expect(newDiscoveries(journal, [first])).toBeNull();
    expect(newDiscoveries(journal, [first, second])?.content.split('\n').slice(1)).toEqual([
      '- c: the port is taken',
    ]);
  });

  it('does not take another’s words for its own', () => {
    const said = { role: 'assistant', content: '- b: there is a v2' } as const;
    expect(newDiscoveries([said, { ...said, role: 'user' }], [first])).not.toBeNull();
  });
});
