#!/usr/bin/env node
// In the repository from the first, unlike dist: npm links programs before anything is built.
import { main } from '../dist/main.js';

await main();
