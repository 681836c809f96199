import assert from 'node:assert/strict';
import { test } from 'node:test';
import { discounted, discountPercent } from '../src/discount.js';

test('few pieces have no discount', () => {
  assert.equal(discountPercent(1), 0);
  assert.equal(discountPercent(9), 0);
});

test('a discount begins with the piece that reaches it', () => {
  assert.equal(discountPercent(10), 5);
  assert.equal(discountPercent(50), 10);
  assert.equal(discountPercent(100), 15);
});

test('the highest step counts', () => {
  assert.equal(discounted(200, 120), 20400);
});
