export * from './testing/create-test-database.js';
export * from './testing/test-tenant.js';
export * from './testing/test-generations.js';
