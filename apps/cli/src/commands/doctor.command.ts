import type { Command } from 'commander';
import { examine } from '../doctor/examine.js';
import type { Finding } from '../doctor/finding.js';
import { EXIT } from '../exit-codes.js';
import type { CliContext } from '../run-cli.js';
import { paintFor, withCommonOptions, type CommonOptions, type Paint } from '../with-client.js';

export function addDoctorCommand(program: Command, context: CliContext): void {
  withCommonOptions(
    program
      .command('doctor')
      .description('Look at settings, key, gateway and what is behind it; say how to mend what is broken.'),
    ['doctor', 'doctor --url https://candor.acme.example --json'],
    'Exit code: 0 nothing is broken, 1 something is.',
  ).action(async (options: CommonOptions) => {
    const paint = paintFor(context);
    const findings: Finding[] = [];
    for await (const finding of examine(context.environment, options, process.version)) {
      findings.push(finding);
      if (!options.json) context.streams.out.write(`${render(finding, paint)}\n`);
    }
    const broken = findings.filter(({ state }) => state === 'broken').length;
    if (options.json) context.streams.out.write(`${JSON.stringify({ findings }, null, 2)}\n`);
    else
      context.streams.out.write(
        `\n${broken === 0 ? paint.green('Nothing is broken.') : paint.red(`${broken} broken.`)}\n`,
      );
    if (broken > 0) context.setExitCode(EXIT.someFailed);
  });
}

function render({ what, state, message, mend }: Finding, paint: Paint): string {
  const marks = { ok: paint.green('✓'), warning: paint.yellow('!'), broken: paint.red('✗'), skipped: paint.dim('–') };
  const line = `${marks[state]} ${paint.bold(what)}: ${message}`;
  return mend === undefined ? line : `${line}\n    ${mend}`;
}
