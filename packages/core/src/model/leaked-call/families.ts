/**
 * The forms in which servers of open models leak calls, one row each, as of 2026-11-29: read in their chat templates,
 * parsers and bug reports. Forms without any mark of their own count only as a whole message or from the start of a line.
 */
import { type Family, jsonCalls, namedJson, taggedCall } from './form.ts';
import { gemmaCall } from './gemma.ts';
import { pythonCalls } from './python.ts';

const space = /\s*/y;
/** The mark of DeepSeek's DSML as it is meant and as it is seen broken: doubled bars, ASCII bars, spaces. */
const dsml = '[｜|]+\\s*DSML\\s*[｜|]+\\s*';
const quote = '["“”]';

export const families: readonly Family[] = [
  {
    name: 'Hermes, Qwen 2.5, GLM on Ollama; also with only the end of its thinking in front',
    begins: /<tool_call>(?=\s*\{)|<\/think>(?=\s*\{)/g,
    between: /(?:\s|<\/think>)*/y,
    read: jsonCalls(/(?:<tool_call>)?\s*/y, /\s*<\/tool_call>/y),
  },
  {
    name: 'Qwen3-Coder, Nemotron 3',
    begins: /(?:<tool_call>\s*)?<function=/g,
    between: /(?:\s|<\/?tool_call>)*/y,
    read: taggedCall(
      /<function=([\w.-]+)>\s*/y,
      /<parameter=([\w.-]+)>\n?([\s\S]*?)\n?<\/parameter>\s*/y,
      /<\/function>/y,
    ),
  },
  {
    name: "Ollama's cloud",
    begins: /<function=/g,
    between: space,
    read: namedJson(/<function=([\w.-]+)>\s*/y, /\s*<\/function>/y),
  },
  {
    name: 'GLM 4.5 to 5',
    begins: /<tool_call>(?=\s*[\w.-])/g,
    between: space,
    read: taggedCall(
      /<tool_call>\s*([\w.-]+)\s*/y,
      /<arg_key>([^<]*)<\/arg_key>\s*<arg_value>([\s\S]*?)<\/arg_value>\s*/y,
      /<\/tool_call>/y,
    ),
  },
  {
    name: 'Mistral',
    begins: /\[TOOL_CALLS\]/g,
    between: space,
    read: namedJson(/\[TOOL_CALLS\]\s*([\w.-]+)\s*\[ARGS\]\s*/y, space),
  },
  {
    name: 'Mistral, the old form',
    begins: /\[TOOL_CALLS\]\s*\[/g,
    between: space,
    read: jsonCalls(/\[TOOL_CALLS\]\s*/y, space),
  },
  {
    name: 'DeepSeek V3; R1 puts the arguments into a fence',
    begins: /<｜tool▁calls?▁begin｜>/g,
    between: /(?:\s|<｜tool▁calls▁(?:begin|end)｜>)*/y,
    read: namedJson(
      /<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?([\w.-]+)(?:<｜tool▁sep｜>)?\s*(?:```json\s*)?/y,
      /\s*(?:```\s*)?<｜tool▁call▁end｜>/y,
    ),
  },
  {
    name: 'DeepSeek V3.2 and V4',
    begins: new RegExp(`<\\s*${dsml}(?:tool_calls\\s*>|invoke\\b)`, 'g'),
    between: new RegExp(`(?:\\s|<\\s*/?\\s*${dsml}tool_calls\\s*>)*`, 'y'),
    read: taggedCall(
      new RegExp(`<\\s*${dsml}invoke\\s+name=${quote}([\\w.-]+)${quote}\\s*>\\s*`, 'y'),
      dsmlParameter(),
      new RegExp(`<\\s*/\\s*${dsml}invoke\\s*>`, 'y'),
    ),
  },
  {
    name: 'DeepSeek V3.2 and V4, with the tool as the tag',
    begins: new RegExp(`<\\s*${dsml}(?!parameter\\b|invoke\\b)[\\w.-]+\\s*>`, 'g'),
    between: new RegExp(`(?:\\s|<\\s*/?\\s*${dsml}tool_calls\\s*>)*`, 'y'),
    read: taggedCall(
      new RegExp(`<\\s*${dsml}(?!tool_calls\\b)([\\w.-]+)\\s*>\\s*`, 'y'),
      dsmlParameter(),
      new RegExp(`<\\s*/\\s*${dsml}[\\w.-]+\\s*>`, 'y'),
    ),
  },
  {
    name: 'Kimi K2',
    begins: /<\|tool_calls_section_begin\|>|<\|tool_call_begin\|>/g,
    between: /(?:\s|<\|tool_calls_section_(?:begin|end)\|>)*/y,
    read: namedJson(
      /<\|tool_call_begin\|>\s*(?:functions\.)?([\w.-]+?)(?::\d+)?\s*<\|tool_call_argument_begin\|>\s*/y,
      /\s*<\|tool_call_end\|>/y,
    ),
  },
  {
    name: 'MiniMax M2, and imitations of Claude',
    begins: /<(?:minimax:tool_call|function_calls)>|<invoke name="/g,
    between: /(?:\s|<\/?(?:minimax:tool_call|function_calls)>)*/y,
    read: taggedCall(
      /<invoke name="([\w.-]+)">\s*/y,
      /<parameter name="([\w.-]+)">([\s\S]*?)<\/parameter>\s*/y,
      /<\/invoke>/y,
    ),
  },
  {
    name: 'Gemma 4',
    begins: /<\|tool_call>/g,
    between: space,
    read: gemmaCall(/<\|tool_call>\s*call:([\w.-]+)\s*/y, '<|"|>', /\s*<tool_call\|>/y),
  },
  {
    name: 'FunctionGemma',
    begins: /<start_function_call>/g,
    between: space,
    read: gemmaCall(/<start_function_call>\s*call:([\w.-]+)\s*/y, '<escape>', /\s*<end_function_call>/y),
  },
  {
    name: 'gpt-oss (harmony)',
    begins: /(?:<\|start\|>assistant)?<\|channel\|>commentary to=/g,
    between: space,
    read: namedJson(
      /(?:<\|start\|>assistant)?<\|channel\|>commentary to=(?:functions\.)?([\w.-]+)\s*(?:<\|constrain\|>\s*json\s*)?<\|message\|>\s*/y,
      // The end mark is a stop token and often taken away.
      /\s*(?:<\|call\|>)?/y,
    ),
  },
  {
    name: 'Llama 3',
    begins: /<\|python_tag\|>/g,
    between: /[\s;]*/y,
    read: jsonCalls(/(?:<\|python_tag\|>)?\s*/y, space),
  },
  {
    name: 'Llama 3, as Python',
    begins: /^\s*\[(?=[A-Za-z_][\w.-]*\()/g,
    between: space,
    read: pythonCalls(/\[\s*/y, /\s*\]/y),
  },
  {
    name: 'LFM2',
    begins: /<\|tool_call_start\|>/g,
    between: space,
    read: pythonCalls(/<\|tool_call_start\|>\s*\[\s*/y, /\s*\]\s*<\|tool_call_end\|>/y),
  },
  {
    name: 'OLMo 3',
    begins: /<function_calls>/g,
    between: space,
    read: pythonCalls(/<function_calls>\s*/y, /\s*<\/function_calls>/y),
  },
  {
    name: 'a whole message in a JSON fence',
    begins: /^\s*```/g,
    between: space,
    read: jsonCalls(/```(?:json|tool_call)?\s*/y, /\s*```/y),
  },
  {
    name: 'a whole message of bare JSON',
    begins: /^\s*\{/g,
    between: space,
    read: jsonCalls(space, space),
  },
  {
    name: 'ReAct',
    begins: /^Action:/gm,
    between: space,
    read: namedJson(/Action:[ \t]*([\w.-]+)[ \t]*\r?\n\s*Action Input:\s*/y, space),
  },
];

function dsmlParameter(): RegExp {
  const open = `<\\s*${dsml}parameter\\s+name=${quote}([\\w.-]+)${quote}[^>]*>`;
  return new RegExp(`${open}([\\s\\S]*?)<\\s*/\\s*${dsml}parameter\\s*>\\s*`, 'y');
}
