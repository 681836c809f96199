/**
 * A few rules more for open models, frozen with the system text of a session that begins with one: each for a habit that
 * their servers and users report (as of 2026-11-29). Others get none: what they do unasked would only cost tokens.
 */

/** By the family in the name, over Chat Completions, which is how servers of open models are spoken to. */
export function isOpenModel(wire: string, modelId: string): boolean {
  return wire === 'chat' && families.test(modelId);
}

const families =
  /(^|[^a-z])(qwen|qwq|glm|chatglm|mistral|mixtral|ministral|devstral|codestral|magistral|deepseek|kimi|minimax|gemma|functiongemma|gpt-oss|lfm|olmo|nemotron|hermes)|llama/i;

export const openModelRules = [
  // They write calls in the forms of their templates, or as fenced JSON, and nothing is run.
  'Call tools through the tool interface alone. Tags, JSON or an `Action:` line in your text run nothing.',
  // Such a text, or a promise to go on, ends the turn and looks like finished work.
  'An answer without a call ends your work: never announce a step without calling its tool in the same answer.',
  // A lone </think> stands in front of calls that went into the text.
  'Keep thinking and its tags out of your answers.',
]
  .map((rule) => `\n- ${rule}`)
  .join('');
