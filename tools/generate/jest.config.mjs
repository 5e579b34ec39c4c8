export default { displayName: 'generate', testMatch: ['<rootDir>/*.spec.mjs'], transform: {} };
