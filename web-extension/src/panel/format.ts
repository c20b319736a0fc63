/** Numbers, sizes and times as a person reads them. Pure: the caller passes the language and the clock. */
import { counted, language, t } from "./i18n";

const KIB = 1024;
const DAY_MS = 86_400_000;

/** A byte count in the unit a person would choose. */
export function formatBytes(bytes: number): string {
  if (bytes < KIB) return counted("sizeBytes", bytes);
  const inMegabytes = bytes >= KIB * KIB;
  const value = inMegabytes ? bytes / (KIB * KIB) : bytes / KIB;
  const number = new Intl.NumberFormat(language(), { maximumFractionDigits: value < 10 ? 1 : 0 });
  return t(inMegabytes ? "sizeMegabytes" : "sizeKilobytes", number.format(value));
}

/** A whole number with the separators of the language. */
export function formatNumber(value: number): string {
  return new Intl.NumberFormat(language()).format(value);
}

/** How long something took, from milliseconds to minutes. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return t("durationMs", Math.round(ms));
  const seconds = new Intl.NumberFormat(language(), { maximumFractionDigits: ms < 10_000 ? 1 : 0 });
  if (ms < 60_000) return t("durationSeconds", seconds.format(ms / 1000));
  return t("durationMinutes", Math.floor(ms / 60_000), Math.floor((ms % 60_000) / 1000));
}

/** A place in something that plays, as minutes and seconds. */
export function formatPlace(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** The time of day of an instant. */
export function formatTime(at: number): string {
  return new Intl.DateTimeFormat(language(), { hour: "2-digit", minute: "2-digit" }).format(at);
}

/** The name of the day an instant lies in, as seen from `now`. */
export function formatDay(at: number, now: number): string {
  const days = daysBetween(at, now);
  if (days <= 0) return t("dayToday");
  if (days === 1) return t("dayYesterday");
  if (days < 7) return new Intl.DateTimeFormat(language(), { weekday: "long" }).format(at);
  return new Intl.DateTimeFormat(language(), { day: "numeric", month: "long", year: "numeric" }).format(at);
}

/** Midnights between two instants in local time; summer time makes days of 23 and 25 hours, hence the rounding. */
function daysBetween(at: number, now: number): number {
  const midnight = (time: number) => new Date(time).setHours(0, 0, 0, 0);
  return Math.round((midnight(now) - midnight(at)) / DAY_MS);
}
