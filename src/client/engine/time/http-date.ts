/** Dates in headers: the three forms that HTTP recipients must read (RFC 9110, 5.6.7), and the Date of a response. */

/**
 * The moment at which the service sent a response, from its Date header. `undefined` for a response of a
 * cache (its Age is above 0), whose Date is that of another request.
 */
export function serverDateMs(headers: Readonly<Record<string, string>>): number | undefined {
  // Of several only the first counts, and one that is no number is ignored (RFC 9111, 5.1).
  const [age = ''] = membersOf(headers.age);
  if (/^\d+$/.test(age) && Number(age) > 0) return undefined;
  return parseHttpDate(membersOf(headers.date)[0]);
}

/** The values of a header that was sent several times. The comma of a date is none between two values. */
export function membersOf(value: string | undefined): readonly string[] {
  const members = value?.split(/,(?! \d\d[ -])/) ?? [];
  return members.map((member) => member.trim()).filter((member) => member !== '');
}

/** Milliseconds since the Unix epoch; `undefined` for what is no date of HTTP. */
export function parseHttpDate(value: string | undefined): number | undefined {
  const match = forms.map((form) => form.exec(value ?? '')).find((found) => found !== null);
  if (match?.groups === undefined) return undefined;
  const { weekday, day = '', month, year = '', time = '' } = match.groups;
  // Date.parse() has no leap seconds.
  const leapMs = time.endsWith(':60') ? 1_000 : 0;
  const second = leapMs === 0 ? time : time.replace(/60$/, '59');
  const text = `${weekday}, ${day.replace(' ', '0')} ${month} ${fullYear(year)} ${second} GMT`;
  const ms = Date.parse(text);
  // Date.parse accepts 31 Feb as 3 Mar; round-trip to reject impossible dates.
  return Number.isNaN(ms) || new Date(ms).toUTCString() !== text ? undefined : ms + leapMs;
}

const time = String.raw`(?<time>\d{2}:\d{2}:\d{2})`;

const forms = [
  // Sat, 21 Nov 2026 08:00:00 GMT
  String.raw`(?<weekday>\w{3}), (?<day>\d{2}) (?<month>\w{3}) (?<year>\d{4}) ${time} GMT`,
  // Saturday, 21-Nov-26 08:00:00 GMT
  String.raw`(?<weekday>Mon|Tue(?=s)|Wed(?=nes)|Thu(?=rs)|Fri|Sat(?=ur)|Sun)(?:s|nes|rs|ur|)day, (?<day>\d{2})-(?<month>\w{3})-(?<year>\d{2}) ${time} GMT`,
  // Sat Nov 21 08:00:00 2026
  String.raw`(?<weekday>\w{3}) (?<month>\w{3}) (?<day>[ \d]\d) ${time} (?<year>\d{4})`,
].map((form) => new RegExp(`^${form}$`));

/** Two digits mean the year that is at most 50 years ahead. */
function fullYear(year: string): string {
  if (year.length === 4) return year;
  const now = new Date().getUTCFullYear();
  const inThisCentury = now - (now % 100) + Number(year);
  return String(inThisCentury > now + 50 ? inThisCentury - 100 : inThisCentury);
}
