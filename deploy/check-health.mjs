/** Exit code 0 when this container's service answers 200 at the given path; the images have no curl. */
const port = process.env.HEALTH_PORT || process.env.PORT || '3000';
const path = process.argv[2] ?? '/healthz';

try {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(4_000) });
  if (!response.ok) console.error(`${path}: ${response.status} ${await response.text()}`);
  process.exitCode = response.ok ? 0 : 1;
} catch (error) {
  console.error(`${path}: ${error.cause?.message ?? error.message}`);
  process.exitCode = 1;
}
