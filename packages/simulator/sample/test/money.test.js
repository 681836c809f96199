import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCents, percentOf } from '../src/money.js';

test('cents are shown with two digits', () => {
  assert.equal(formatCents(1205), '12.05');
  assert.equal(formatCents(7), '0.07');
});

test('negative amounts keep their sign', () => {
  assert.equal(formatCents(-250), '-2.50');
});

test('half a cent goes up', () => {
  assert.equal(percentOf(150, 5), 8);
});
