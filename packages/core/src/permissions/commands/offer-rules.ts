/**
 * Decides what a person is offered to allow for good instead of one command. As it stands, unless its program is one that
 * is called again and again with other arguments and does the same: the rule then ends behind the words that say what.
 */
import type { SimpleCommand } from './parse-command.ts';
import type { CommandRule } from './rules.ts';

const anything = '*';

/**
 * Beginnings that may go on in any way; `*` is any word that is no option. They run what the project itself is made of, so
 * that further words give a model nothing that a change of the project would not. None is there to install, publish,
 * fetch or remove.
 */
const beginnings: readonly (readonly string[])[] = `
npm test|npm t|npm run *|npm run-script *|npm ls|pnpm test|pnpm run *|yarn test|yarn run *|bun test|bun run *
cargo build|cargo check|cargo test|cargo clippy|cargo fmt|cargo bench|cargo doc
go build|go test|go vet|go fmt|gofmt
make *|just *|rake *|ninja|ctest|cmake --build *
npx tsc|npx jest|npx vitest|npx eslint|npx prettier|npx biome|npx mocha|tsc|jest|vitest|mocha|eslint|prettier|biome
pytest|python -m pytest|python3 -m pytest|python -m unittest|python3 -m unittest|tox|ruff|mypy|black|flake8
uv run pytest|uv run ruff|uv run mypy|poetry run pytest
bundle exec rspec|bundle exec rake *|rspec|rubocop|mix test|mix format
dotnet build|dotnet test|mvn test|mvn verify|./mvnw test|./mvnw verify|gradle test|gradle build|./gradlew test|./gradlew build
swift build|swift test|zig build|phpunit|composer test|shellcheck
turbo run *|nx test *|nx build *|nx lint *
git add|git commit
`
  .trim()
  .split(/[|\n]/)
  .map((beginning) => beginning.split(' '));

export function offerRule({ words, globs }: SimpleCommand): CommandRule | undefined {
  const beginning = beginnings.find((candidate) => beginsWith(words, candidate));
  if (beginning !== undefined) return { words: words.slice(0, beginning.length), more: true };
  // Tomorrow other files fit.
  return globs ? undefined : { words, more: false };
}

function beginsWith(words: readonly string[], beginning: readonly string[]): boolean {
  return beginning.every((wanted, n) => {
    const word = words[n];
    return wanted === anything
      ? word !== undefined && /^[\w:.@/-]+$/.test(word) && !word.startsWith('-')
      : word === wanted;
  });
}
