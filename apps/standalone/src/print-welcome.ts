export interface Welcome {
  url: string;
  key: string;
  keyFile: string;
  logs: string;
  demo: boolean;
}

/** What a newcomer needs next: where to look, the key, and a request to paste. */
export function printWelcome({ url, key, keyFile, logs, demo }: Welcome): void {
  const query = demo ? 'What did we decide about the brand color?' : 'What have we decided?';
  const lines = [
    '',
    'Candor is ready.',
    `  Console  ${url}/console`,
    `  API      ${url}/docs`,
    `  Key      ${key}   (also in ${keyFile})`,
    `  Logs     ${logs}`,
    '',
    'Try it:',
    `  curl -s ${url}/v1/reason -H 'Authorization: API-Key ${key}' -H 'Content-Type: application/json' -d '${JSON.stringify({ query })}'`,
    '',
    'Ctrl-C stops everything.',
  ];
  console.log(lines.join('\n'));
}
