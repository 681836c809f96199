import { discounted, discountPercent } from './discount.js';
import { formatCents, percentOf } from './money.js';

const taxPercent = 20;

/** Items are { name, cents, quantity }. */
export function total(items) {
  const net = items.reduce((sum, item) => sum + discounted(item.cents, item.quantity), 0);
  return net + percentOf(net, taxPercent);
}

export function receipt(items) {
  const lines = items.map((item) => {
    const off = discountPercent(item.quantity);
    const note = off === 0 ? '' : ` (-${off}%)`;
    return `${item.quantity} x ${item.name}${note}: ${formatCents(discounted(item.cents, item.quantity))}`;
  });
  return [...lines, `Total with tax: ${formatCents(total(items))}`].join('\n');
}
