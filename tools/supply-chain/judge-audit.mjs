/**
 * What `npm audit --json` found and nobody has accepted. The three outcomes must not look alike: an audit that could not
 * be made (`unreachable`, with the reason) is not a clean one.
 *
 * @param {string} output  of npm, on standard output
 * @param accepted  `{ advisory, package, reason, expires }`; `expires` is the last day (UTC) on which it counts
 * @param {Date} today
 * @returns {{ state: 'unreachable', reason: string } | { state: 'clean' } | { state: 'findings', problems: string[] }}
 */
export function judgeAudit(output, accepted, today) {
  const report = parse(output);
  if (!report || typeof report.vulnerabilities !== 'object' || report.vulnerabilities === null) {
    return { state: 'unreachable', reason: report?.message ?? report?.error?.summary ?? 'npm gave no report' };
  }
  const found = Object.values(report.vulnerabilities).flatMap(({ name, via }) =>
    // A text is the name of another entry, through which this one is affected.
    via.flatMap((cause) => (typeof cause === 'object' ? [{ package: name, ...cause }] : [])),
  );
  const day = today.toISOString().slice(0, 10);
  const isAccepted = (finding) =>
    accepted.some(
      (entry) =>
        finding.url.endsWith(`/${entry.advisory}`) && entry.package === finding.package && entry.expires >= day,
    );
  const problems = [
    ...found
      .filter((finding) => !isAccepted(finding))
      .map((finding) => `${finding.package} ${finding.range}: ${finding.severity}, ${finding.title} (${finding.url})`),
    ...accepted
      .filter((entry) => entry.expires < day)
      .map((entry) => `${entry.advisory} of ${entry.package} was accepted until ${entry.expires}`),
    ...accepted
      .filter((entry) => !found.some((finding) => finding.url.endsWith(`/${entry.advisory}`)))
      .map((entry) => `${entry.advisory} of ${entry.package} is accepted and not found any more`),
  ];
  return problems.length === 0 ? { state: 'clean' } : { state: 'findings', problems };
}

function parse(output) {
  try {
    return JSON.parse(output);
  } catch {
    return undefined;
  }
}
