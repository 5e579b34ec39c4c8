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
    'A question gets --deadline, everything else ten seconds. Exit code: 0 nothing is broken, 1 something is.',
  ).action(async (options: CommonOptions) => {
    const paint = paintFor(context);
    const findings: Finding[] = [];
    const { url, deadline } = options;
    const looks = examine(context.environment, { url, patienceMs: deadline * 1_000 }, process.version);
    for await (const finding of looks) {
      findings.push(finding);
      // Before it is written: who reads on may have seen enough by then.
      if (finding.state === 'broken') context.setExitCode(EXIT.someFailed);
      if (!options.json) context.streams.out.write(`${render(finding, paint)}\n`);
    }
    const broken = findings.filter(({ state }) => state === 'broken').length;
    if (options.json) context.streams.out.write(`${JSON.stringify({ findings }, null, 2)}\n`);
    else
      context.streams.out.write(
        `\n${broken === 0 ? paint.green('Nothing is broken.') : paint.red(`${broken} broken.`)}\n`,
      );
  });
}

function render({ what, state, message, mend }: Finding, paint: Paint): string {
  const marks = { ok: paint.green('✓'), warning: paint.yellow('!'), broken: paint.red('✗'), skipped: paint.dim('–') };
  const line = `${marks[state]} ${paint.bold(what)}: ${message}`;
  return mend === undefined ? line : `${line}\n    ${mend}`;
}
