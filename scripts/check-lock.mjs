/**
 * The repository must install and read the same on any machine: the lock file names no host, the project's own .npmrc
 * says what npm needs, versions are exact, and no file speaks of the folders of the machine it was written on.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fail, pass, root, sourceFiles } from './tree.mjs';

const neededSettings = ['omit-lockfile-registry-resolved=true', 'fund=false', 'audit=false'];

const { packages } = JSON.parse(read('package-lock.json'));
const files = trackedFiles();
const findings = [...hosts(), ...settings(), ...looseVersions(), ...files.flatMap(machinePaths)];
if (findings.length > 0) fail('lock', findings);
pass(
  'lock',
  `${Object.keys(packages).length} packages without a host, ${files.length} files without a path of a machine`,
);

function read(file) {
  return readFileSync(join(root, file), 'utf8');
}

function hosts() {
  return Object.entries(packages)
    .filter(([, { resolved, link }]) => resolved !== undefined && !(link && !resolved.includes(':')))
    .map(([name, { resolved }]) => `package-lock.json: ${name} is resolved at ${resolved}`);
}

function settings() {
  const lines = read('.npmrc').split('\n');
  return neededSettings.filter((line) => !lines.includes(line)).map((line) => `.npmrc: ${line} is missing`);
}

/** @types/node alone follows a major: it is the oldest Node that is supported. */
function looseVersions() {
  return ['package.json', ...sourceFiles(['protocol', 'packages'], ['package.json'])].flatMap((file) => {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(read(file));
    return Object.entries({ ...dependencies, ...devDependencies })
      .filter(([name, version]) => name !== '@types/node' && !/^(?:npm:[^ ]+@)?\d+\.\d+\.\d+$/.test(version))
      .map(([name, version]) => `${file}: ${name} ${version} is not an exact version`);
  });
}

/** What git holds, and what it would hold if all were added; in an unpacked archive, the sources. */
function trackedFiles() {
  try {
    const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
    return listed
      .toString('utf8')
      .split('\0')
      .filter((file) => file !== '' && file !== 'package-lock.json');
  } catch {
    return sourceFiles(['protocol', 'packages', 'test', 'scripts', 'docs'], ['.ts', '.mjs', '.js', '.json', '.md']);
  }
}

function machinePaths(file) {
  const text = textOf(file);
  const own = [root, homedir()].filter((path) => path.split('/').filter(Boolean).length > 1);
  const named = own.filter((path) => text.includes(`${path}/`));
  // `me` and `user` are nobody in particular.
  const usual = [...text.matchAll(/(?<![\w./-])\/(?:home|Users|work)\/(?!(?:me|user)\/)[\w.-]+\/[\w.-]+/g)];
  return [...named, ...usual.map(([path]) => path)].map((path) => `${file}: names a path of a machine: ${path}`);
}

/** Empty for what is gone, no file, or binary. */
function textOf(file) {
  try {
    const text = read(file);
    return text.includes('\0') ? '' : text;
  } catch {
    return '';
  }
}
