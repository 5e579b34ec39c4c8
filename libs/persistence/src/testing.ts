export * from './testing/create-test-database.js';
export * from './testing/test-tenant.js';
