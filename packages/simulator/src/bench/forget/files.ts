/** The repository of the forget bench. Made without chance: the same bytes on every run. */
import { areas, moduleLines, modulePath, parts } from './modules.ts';
import { bundleText, checkParts, deployLog, planText, probeLog, settingsText, ticketText } from './outputs.ts';
import { failsLater, moduleFacts, probeStatus, settingsPath } from './rounds.ts';

export function forgetFiles(): ReadonlyMap<string, string> {
  return new Map([
    ...areas.flatMap((area, round) => [...modulesOf(round), ...scriptsOf(area, round), ...oddFilesOf(area, round)]),
    ['logs/deploy.log', deployLog('I1')],
    ['dist/bundle.min.js', bundleText('I2')],
    ['test.sh', testScript],
  ]);
}

type File = readonly [path: string, text: string];

function modulesOf(round: number): readonly File[] {
  return parts.map((_, part): File => {
    const lines = moduleLines(round, part, moduleFacts(round, part));
    return [modulePath(round, part), `${lines.join('\n')}\n`];
  });
}

function scriptsOf(area: string, round: number): readonly File[] {
  const { begin, error, end } = checkParts(round, area, `B${round + 1}`);
  const inner = failsLater(round)
    ? `if grep -q slow conf/${area}.ini; then cat checks/${area}.error; fi`
    : `cat checks/${area}.error`;
  const checks: readonly File[] = [
    [`checks/${area}.begin`, begin],
    [`checks/${area}.error`, error],
    [`checks/${area}.end`, end],
    [`checks/${area}.sh`, `cat checks/${area}.begin\n${inner}\ncat checks/${area}.end\nexit 1\n`],
  ];
  if (round === 4) return checks;
  return [
    ...checks,
    [`probes/${area}.log`, probeLog(round)],
    [`probes/${area}.sh`, `cat probes/${area}.log\nexit ${probeStatus[round]}\n`],
    [settingsPath(round), settingsText(round)],
  ];
}

function oddFilesOf(area: string, round: number): readonly File[] {
  if (round === 4) return [];
  if (round % 2 === 0) return [[`plans/${area}.md`, planText(round, `G${round / 2 + 1}`)]];
  return [
    [`tickets/${area}.txt`, ticketText(round, `H${(round + 1) / 2}`)],
    [`tickets/${area}.sh`, `cat tickets/${area}.txt && rm tickets/${area}.txt\n`],
  ];
}

/** Prints about 1.5 kB, of which a few lines change as the notes grow. */
const testScript = `for area in ${areas.join(' ')}; do
  for part in ${parts.join(' ')}; do
    for case in opens reads ends; do echo "ok $area/$part $case"; done
  done
done
echo "notes: $(ls notes 2>/dev/null | wc -l) written"
`;
