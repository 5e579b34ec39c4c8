import { readFileSync } from 'node:fs';
import { AppError } from '@candor/contracts';
import { z } from 'zod';
import { describeIssues, type FieldIssue } from '../issues/describe-issues.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The shaped configuration, or a refusal to start.
 *
 * `schema` is an object keyed by the variables' names, optionally transformed to the shape the app wants. `NAME_FILE` gives a file whose
 * content is the value (for secrets mounted as files; one trailing line break is cut). An empty string counts as not given.
 *
 * @throws AppError CONFIG.INVALID whose message lists `NAME rule`, one a line, never a value.
 */
export function loadConfig<Schema extends z.ZodType>(schema: Schema, env: Environment = process.env): z.output<Schema> {
  const given: Record<string, string> = {};
  const issues: FieldIssue[] = [];
  for (const name of variableNames(schema)) {
    try {
      const value = readVariable(name, env);
      if (value !== undefined) given[name] = value;
    } catch (error) {
      if (!(error instanceof VariableError)) throw error;
      issues.push({ field: error.variable, rule: error.message });
    }
  }
  if (issues.length > 0) throw invalidConfig(issues);
  const parsed = schema.safeParse(given, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw invalidConfig(describeIssues(parsed.error.issues, 'configuration'));
}

/** `true|1|yes|on` and `false|0|no|off`, any case; a real boolean from there on. */
export function booleanFromEnv(defaultValue?: boolean) {
  const flag = z
    .string()
    .toLowerCase()
    .refine((value) => value in BOOLEAN_WORDS, 'must be true or false')
    .transform((value) => BOOLEAN_WORDS[value] === true);
  return defaultValue === undefined ? flag : flag.default(defaultValue);
}

/** A TCP port; 0 lets the system choose. */
export function portFromEnv(defaultValue?: number) {
  const port = z
    .string()
    .regex(/^\d{1,5}$/, 'must be a port number from 0 to 65535')
    .transform(Number)
    .refine((value) => value <= 65_535, 'must be a port number from 0 to 65535');
  return defaultValue === undefined ? port : port.default(defaultValue);
}

const BOOLEAN_WORDS: Readonly<Record<string, boolean>> = Object.assign(Object.create(null) as Record<string, boolean>, {
  true: true,
  1: true,
  yes: true,
  on: true,
  false: false,
  0: false,
  no: false,
  off: false,
});

class VariableError extends Error {
  constructor(
    readonly variable: string,
    message: string,
  ) {
    super(message);
  }
}

function readVariable(name: string, env: Environment): string | undefined {
  const direct = env[name] || undefined;
  const file = env[`${name}_FILE`] || undefined;
  if (file === undefined) return direct;
  if (direct !== undefined) throw new VariableError(name, `must not be set together with ${name}_FILE`);
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '') || undefined;
  } catch {
    // The path may say where secrets live; the variable's name is enough to act on.
    throw new VariableError(`${name}_FILE`, 'must name a readable file');
  }
}

function variableNames(schema: z.ZodType): string[] {
  let current: z.core.$ZodType = schema;
  while (current instanceof z.ZodPipe) current = current.in;
  if (!(current instanceof z.ZodObject))
    throw new TypeError('A configuration schema is an object keyed by variable names');
  return Object.keys(current.shape);
}

function invalidConfig(issues: readonly FieldIssue[]): AppError {
  const lines = issues.map(({ field, rule }) => `${field} ${rule}`);
  return new AppError('CONFIG.INVALID', {
    message: `The configuration is not valid:\n${lines.join('\n')}`,
    details: { issues },
  });
}
