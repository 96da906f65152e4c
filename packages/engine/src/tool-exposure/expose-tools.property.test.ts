import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exposeTools, maxExposedBytes, maxExposedTools } from './expose-tools.ts';
import { coreTools, fallbackTools, knownTools } from './known-tools.ts';

const fixed: string[] = [...coreTools, ...fallbackTools];
const name = fc.oneof(
  fc.constantFrom(...Object.keys(knownTools)),
  fc.stringMatching(/^[a-z]{1,6}__[a-z_]{1,12}$/),
  fc.constantFrom('__proto__', 'constructor', 'toString'),
);
const tools = fc.uniqueArray(
  fc.record({
    name,
    description: fc.lorem({ maxCount: 12 }),
    schema_bytes: fc.integer({ min: 50, max: 3_000 }),
  }),
  { selector: (tool) => tool.name, maxLength: 60 },
);
const intent = fc.record({
  text: fc.oneof(fc.lorem(), fc.string({ unit: 'binary', maxLength: 200 })),
  recent: fc.array(name, { maxLength: 6 }),
  small_talk: fc.boolean(),
});
const mode = fc.constantFrom('full', 'adaptive', 'hybrid');
const maxBytes = fc.integer({ min: 500, max: maxExposedBytes });

test('a list is bounded, has no name twice and none that is not there', () => {
  fc.assert(
    fc.property(mode, tools, intent, maxBytes, (mode, tools, intent, max_bytes) => {
      const names = exposeTools({ mode, tools, intent, max_bytes });
      const given = new Map(tools.map((tool) => [tool.name, tool]));
      expect(new Set(names).size).toBe(names.length);
      expect(names.filter((one) => !given.has(one))).toEqual([]);
      if (mode === 'full') return;
      const typed = names.filter((one) => !fallbackTools.some((fallback) => fallback === one));
      expect(typed.length).toBeLessThanOrEqual(maxExposedTools);
      const large = names.filter((one) => !fixed.includes(one));
      const bytes = names.reduce((sum, one) => sum + (given.get(one)?.schema_bytes ?? 0), 0);
      if (large.length > 0) expect(bytes).toBeLessThanOrEqual(max_bytes);
    }),
  );
});

test('a list does not depend on the order in which tools were found', () => {
  fc.assert(
    fc.property(mode, tools, intent, (mode, tools, intent) => {
      const names = exposeTools({ mode, tools, intent });
      expect(exposeTools({ mode, tools: tools.toReversed(), intent })).toEqual(names);
    }),
  );
});

test('what small talk gets is the beginning of every list', () => {
  fc.assert(
    fc.property(fc.constantFrom('adaptive', 'hybrid'), tools, intent, (mode, tools, intent) => {
      const core = exposeTools({ mode, tools, intent: { ...intent, small_talk: true } });
      const whole = exposeTools({ mode, tools, intent: { ...intent, small_talk: false } });
      expect(whole.slice(0, core.length)).toEqual(core);
    }),
  );
});

test('where there is room for all, all are in it', () => {
  fc.assert(
    fc.property(fc.array(name, { maxLength: 14 }), intent, (names, intent) => {
      const tools = [...new Set(names)].map((one) => ({
        name: one,
        description: one,
        schema_bytes: 100,
      }));
      const exposed = exposeTools({
        mode: 'hybrid',
        tools,
        intent: { ...intent, small_talk: false },
      });
      expect([...exposed].sort()).toEqual([...new Set(names)].sort());
    }),
  );
});
