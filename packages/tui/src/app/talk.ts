/**
 * What the person wants goes out: words, answers, commands, an interrupt. Invariant: what could not be sent is refused, so
 * that what was written can come back.
 */
import { chosenOption } from '@zerd/protocol/common/chosen-option';
import { commandIn, skillCall, type TypedCommand } from '@zerd/protocol/common/skill-call';
import type { Answer, Ask } from './ask.ts';
import { nextMode } from './choices.ts';
import { commandNamed, noCommand } from './commands.ts';
import type { Desk } from './desk.ts';
import type { FollowedSession } from './followed-session.ts';
import { dearChoice } from './forecast.ts';
import { takeBack } from './going-on.ts';
import { outsideImages } from './outside-images.ts';
import type { Overlay } from './overlay.ts';
import { sayTo } from './say-to.ts';
import { sendAnswer } from './send-answer.ts';

export interface TalkParts {
  readonly session: FollowedSession;
  readonly ask: Pick<Ask, 'takesText'>;
  readonly trust: boolean;
  desk(): Promise<Desk>;
  /** Puts a text into the input. */
  write(text: string): void;
  show(overlay: Overlay): void;
  failed(error: unknown): void;
}

export interface Talk {
  /** A command, an answer or something for the model; `queue`: behind the turn that runs. */
  perform(text: string, queue: boolean): Promise<void>;
  answer(given: Answer): Promise<void>;
  nextMode(): Promise<void>;
  interrupt(): Promise<void>;
  /** The newest prompt that waits comes back into the input. */
  takeBackNewest(): Promise<void>;
}

export function createTalk({ session, ask, trust, desk, write, show, failed }: TalkParts): Talk {
  async function answer(given: Answer): Promise<void> {
    if (session.link !== undefined) await sendAnswer(session.link, given);
  }

  /** `asks`: about what is dear. */
  async function say(text: string, queue: boolean, asks = true): Promise<void> {
    const question = ask.takesText;
    if (question !== undefined) {
      const choice = chosenOption(question.options, text);
      if (choice.kind === 'refused') throw new Error(`${choice.says} Nothing was sent.`);
      return answer({ kind: 'question', question, answer: choice.answer });
    }
    const images = await outsideImages(text);
    const { feed, sessionId } = await session.orBegun();
    const { turnId } = session.status;
    const send = () => sayTo(feed, { sessionId, text, ...images, turnId, queue, ...(trust ? { trust } : {}) });
    if (turnId !== undefined || !asks) return send();
    const sayAnew = () => session.open(undefined).then(() => say(text, false, false));
    const choice = await dearChoice({ feed, sessionId, text, send, sayAnew, takeBack: () => write(text), failed });
    return choice === undefined ? send() : show(choice);
  }

  /** A skill is called as a command is, unless one has its name. */
  async function performCommand(typed: TypedCommand, queue: boolean): Promise<void> {
    const row = commandNamed(typed.name);
    const at = await desk();
    if (row !== undefined) return await row.run(at, typed.rest);
    const { skills } = await at.feed.request('skill/list', {});
    const words = skillCall(typed, skills);
    if (words === undefined) throw noCommand(typed.name);
    await say(words, queue);
  }

  return {
    async perform(text, queue) {
      const command = commandIn(text);
      if (command === undefined) await say(text.startsWith('//') ? text.slice(1) : text, queue);
      else await performCommand(command, queue);
    },
    answer,
    nextMode: async () => nextMode(await desk(), session.status.mode),
    async interrupt() {
      const { link, status } = session;
      if (status.turnId !== undefined) await link?.feed.request('turn/interrupt', { sessionId: link.sessionId });
    },
    async takeBackNewest() {
      const { link, status } = session;
      const newest = status.queue.at(-1);
      if (newest !== undefined && link !== undefined)
        await takeBack({ feed: link.feed, sessionId: link.sessionId, write }, newest);
    },
  };
}
