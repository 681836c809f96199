/**
 * Says which variables make a program load or find something, so that their values are part of what runs. Invariant: none
 * of them is one in which secrets are kept, since their values are shown.
 */
const names = new RegExp(
  `^(?:${[
    'PATH|ENV|BASH_ENV|CLASSPATH|JAVA_TOOL_OPTIONS',
    'NODE_(?:OPTIONS|PATH)|npm_config_(?:registry|prefix|userconfig|globalconfig|script_shell)',
    'PYTHON(?:PATH|STARTUP|HOME)|RUBY(?:OPT|LIB)|PERL5(?:OPT|LIB)|LUA_C?PATH',
    '(?:LD|DYLD)_\\w+',
    'GIT_(?:SSH|SSH_COMMAND|ASKPASS|EXEC_PATH|EXTERNAL_DIFF|PROXY_COMMAND|TEMPLATE_DIR|CONFIG|CONFIG_GLOBAL|CONFIG_SYSTEM)',
  ].join('|')})$`,
  'i',
);

export function isSteeringName(name: string): boolean {
  return names.test(name);
}
