import assert from 'node:assert/strict';
import { test } from 'node:test';
import { receipt, total } from '../src/receipt.js';

test('the total adds tax to what is left after discounts', () => {
  assert.equal(total([{ name: 'pen', cents: 150, quantity: 2 }]), 360);
});

test('a receipt names the discount of each line', () => {
  const items = [
    { name: 'pen', cents: 150, quantity: 10 },
    { name: 'ink', cents: 900, quantity: 1 },
  ];
  assert.equal(receipt(items), ['10 x pen (-5%): 14.25', '1 x ink: 9.00', 'Total with tax: 27.90'].join('\n'));
});
