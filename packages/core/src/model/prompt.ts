/**
 * What is to be sent, in no provider's language: the fixed part, then messages of blocks in order. `render` makes it
 * from the log; each wire's `encode` turns it into a body. Invariant (I12): every tool call is followed by its result
 * in the very next user message, roles alternate, and every text is well-formed Unicode.
 */
import type { AssistantBlock } from '@zerd/protocol/common/event';
import type { CallId } from '@zerd/protocol/common/ids';
import type { Image } from '@zerd/protocol/common/image';
import type { JsonObject } from '@zerd/protocol/common/json';

/** A tool as the model is told of it. */
export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments: an object, unknown fields refused. */
  readonly inputSchema: JsonObject;
}

export type UserBlock =
  | { readonly kind: 'text'; readonly text: string }
  /** Its bytes are put in when it is sent. */
  | { readonly kind: 'image'; readonly image: Image }
  | {
      readonly kind: 'toolResult';
      readonly callId: CallId;
      readonly text: string;
      readonly isError: boolean;
      readonly images?: readonly Image[];
    };

export type PromptMessage =
  | { readonly role: 'user'; readonly blocks: readonly UserBlock[] }
  | { readonly role: 'assistant'; readonly blocks: readonly AssistantBlock[] };

/** Where a cache entry is wished: on the last block of message `message` up to and including block `block`. */
export interface CacheMark {
  readonly message: number;
  readonly block: number;
}

export interface Prompt {
  readonly system: string;
  readonly tools: readonly ToolDeclaration[];
  readonly messages: readonly PromptMessage[];
  /** Marks behind the fixed part, oldest first, three at most: the fixed part's own end is always marked. */
  readonly marks: readonly CacheMark[];
  /** What requests that share a prefix have in common: hash of repository, model, tools and system. */
  readonly cacheKey: string;
  /** The provider's name of the answer before, for its own account of a miss; absent: there is none. No part of a prefix. */
  readonly previousResponseId?: string;
}

/** The parameters beside the prompt. They stay the same for a whole session: most of them are part of the cached prefix. */
export interface ModelSettings {
  /** The provider's own name of the model, without the provider's prefix. */
  readonly modelId: string;
  readonly maxOutput: number;
  /**
   * The model binds its reasoning to what stood before it: where that was edited, the provider is to leave the reasoning
   * out, where it offers that, instead of refusing the request.
   */
  readonly bindsReasoning?: true;
  /** The model sees images; absent: they are named to it. */
  readonly seesImages?: true;
}
