import type { Judge } from './verdict.ts';

export const judgeChat: Judge = () => undefined;
