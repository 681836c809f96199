import type { Judge } from './verdict.ts';

export const judgeAnthropic: Judge = () => undefined;
