/** `zerd completion`: prints what makes a shell complete commands, options, methods and the ids of sessions. */
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { completionKey } from '../following.ts';

const shells = ['bash', 'zsh'] as const;

export const completionCommand = defineCommand({
  name: 'completion',
  usage: 'completion [shell]',
  says: 'Prints a script that makes your shell complete what you type after zerd',
  positionals: { shell: { choices: shells, describe: 'For which shell', defaultDescription: 'that of $SHELL' } },
  options: [],
  examples: [
    [`echo 'eval "$(zerd completion bash)"' >> ~/.bashrc`, 'For every bash from now on'],
    [`echo 'eval "$(zerd completion zsh)"' >> ~/.zshrc`, 'For zsh, after its compinit'],
  ],
  complaint: ({ shell }) =>
    shell === undefined || shells.includes(shell) ? undefined : `'${shell}' is no shell known.`,
  async perform({ shell }, { terminal }) {
    terminal.out(scripts[shell ?? (terminal.env.SHELL?.endsWith('zsh') ? 'zsh' : 'bash')]);
    return exitCode.done;
  },
});

// $SHELL says in which form yargs lists: zsh takes a sentence with each word.
const scripts: Readonly<Record<(typeof shells)[number], string>> = {
  bash: `_zerd() {
  local found
  found=$(SHELL=bash zerd ${completionKey} "\${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null)
  COMPREPLY=($(compgen -W "$found" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o bashdefault -o default -F _zerd zerd
`,
  zsh: `#compdef zerd
_zerd() {
  local -a found
  found=("\${(@f)$(SHELL=zsh zerd ${completionKey} "\${(@)words[1,CURRENT]}" 2>/dev/null)}")
  if [[ -n $found[1] ]]; then _describe zerd found; else _default; fi
}
compdef _zerd zerd
`,
};
