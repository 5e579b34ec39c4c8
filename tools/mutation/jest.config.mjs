export default { displayName: 'mutation', testMatch: ['<rootDir>/*.spec.mjs'], transform: {} };
