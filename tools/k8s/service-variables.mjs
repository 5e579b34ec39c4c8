/**
 * Prints, as JSON, what each program that a manifest may start reads from its environment:
 * `{ "apps/gateway/dist/main.js": { "known": [...], "required": [...] }, ... }`.
 */
const PROGRAMS = {
  'apps/gateway/dist/main.js': ['apps/gateway/dist/config.js', 'gatewayConfigSchema'],
  'apps/ingestion-worker/dist/main.js': ['apps/ingestion-worker/dist/config.js', 'workerConfigSchema'],
  'apps/retrieval/dist/main.js': ['apps/retrieval/dist/config.js', 'retrievalConfigSchema'],
  'apps/synthesis/dist/main.js': ['apps/synthesis/dist/config.js', 'synthesisConfigSchema'],
  'apps/ingestion-worker/dist/migrate.main.js': ['apps/ingestion-worker/dist/migrate.main.js', 'migrateConfigSchema'],
};

const variables = {};
for (const [program, [module, name]] of Object.entries(PROGRAMS)) {
  const { [name]: schema } = await import(new URL(`../../${module}`, import.meta.url).href);
  const known = Object.keys(schema.shape);
  const required = known.filter((variable) => !schema.shape[variable].safeParse(undefined).success);
  variables[program] = { known, required };
}
console.log(JSON.stringify(variables));
