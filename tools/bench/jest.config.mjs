// The benchmarks run as processes of their own, on what `npm run build` made.
export default { displayName: 'bench', testMatch: ['<rootDir>/*.spec.mjs'], transform: {}, testTimeout: 240_000 };
