import assert from 'node:assert/strict';
import { test } from 'node:test';
import { convert } from './temperature.js';

test('water boils and freezes', () => {
  assert.equal(convert(100, 'celsius', 'fahrenheit'), 212);
  assert.equal(convert(32, 'fahrenheit', 'celsius'), 0);
  assert.equal(convert(0, 'celsius', 'kelvin'), 273.15);
});

test('there and back again', () => {
  assert.equal(convert(convert(-40, 'fahrenheit', 'kelvin'), 'kelvin', 'fahrenheit'), -40);
});

test('nothing is colder than absolute zero', () => {
  assert.throws(() => convert(-1, 'kelvin', 'celsius'), RangeError);
});
