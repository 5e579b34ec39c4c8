export * from './request-context/request-context.js';
