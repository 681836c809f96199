import { percentOf } from './money.js';

/** From so many pieces on, so many percent off. The highest step that is reached counts. */
const steps = [
  { from: 10, percent: 5 },
  { from: 50, percent: 10 },
  { from: 100, percent: 15 },
];

export function discountPercent(quantity) {
  const reached = steps.filter((step) => quantity > step.from);
  return reached.length === 0 ? 0 : reached[reached.length - 1].percent;
}

export function discounted(cents, quantity) {
  const full = cents * quantity;
  return full - percentOf(full, discountPercent(quantity));
}
