/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/iso_time.c - dates and times as ISO 8601 text
 *
 * Days and dates are converted with eras of 400 years that begin in March, so that the leap day is
 * the last day of a year.
 */
#include "route/iso_time.h"

#include <stdio.h>
#include <string.h>

#include "base/math.h"

enum {
    SECONDS_PER_DAY = 86400,
    DAYS_PER_ERA = 146097,
    DAYS_TO_EPOCH = 719468, /* From 0000-03-01 to 1970-01-01. */
    YEAR_DIGITS_MAX = 12    /* Enough for seconds in 64 bits. */
};

static const int fraction_digits[] = {0, 3, 6, 9};

int64_t sluice_iso_units_per_second(sluice_time_unit unit)
{
    static const int64_t units[] = {1, 1000, 1000000, 1000000000};

    return units[unit];
}

/* The quotient towards minus infinity; divisor is above 0. */
static int64_t floor_divide(int64_t number, int64_t divisor)
{
    return number / divisor - (number % divisor < 0);
}

void sluice_iso_format_date(int64_t days, char text[SLUICE_ISO_TEXT_BYTES])
{
    const int64_t era = floor_divide(days, DAYS_PER_ERA);
    int64_t day_of_era = days - era * DAYS_PER_ERA + DAYS_TO_EPOCH;
    const int64_t era_of_march = era + day_of_era / DAYS_PER_ERA;

    day_of_era %= DAYS_PER_ERA;
    const int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const int64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const int64_t march_month = (5 * day_of_year + 2) / 153;
    const int64_t day = day_of_year - (153 * march_month + 2) / 5 + 1;
    const int64_t month = march_month < 10 ? march_month + 3 : march_month - 9;
    const int64_t year = year_of_era + era_of_march * 400 + (month <= 2);
    const char *format = year >= 0 && year <= 9999 ? "%04lld-%02d-%02d" : "%+05lld-%02d-%02d";

    snprintf(text, SLUICE_ISO_TEXT_BYTES, format, (long long)year, (int)month, (int)day);
}

bool sluice_iso_format_time(int64_t time, sluice_time_unit unit, char text[SLUICE_ISO_TEXT_BYTES])
{
    const int64_t units = sluice_iso_units_per_second(unit);
    const int64_t seconds = floor_divide(time, units);
    const int64_t fraction = time - seconds * units;

    if (seconds < 0 || seconds >= SECONDS_PER_DAY)
        return false;
    const int bytes =
        snprintf(text, SLUICE_ISO_TEXT_BYTES, "%02d:%02d:%02d", (int)(seconds / 3600),
                 (int)(seconds / 60 % 60), (int)(seconds % 60));
    if (fraction != 0) {
        snprintf(text + bytes, SLUICE_ISO_TEXT_BYTES - (size_t)bytes, ".%0*lld",
                 fraction_digits[unit], (long long)fraction);
    }
    return true;
}

void sluice_iso_format_timestamp(int64_t timestamp, sluice_time_unit unit, bool has_zone,
                                 char text[SLUICE_ISO_TEXT_BYTES])
{
    const int64_t units_per_day = SECONDS_PER_DAY * sluice_iso_units_per_second(unit);
    const int64_t days = floor_divide(timestamp, units_per_day);
    /* Modulo 2^64, because the start of the first day there is does not fit. */
    const int64_t time = (int64_t)((uint64_t)timestamp - (uint64_t)days * (uint64_t)units_per_day);
    char date[SLUICE_ISO_TEXT_BYTES], clock[SLUICE_ISO_TEXT_BYTES];

    sluice_iso_format_date(days, date);
    sluice_iso_format_time(time, unit, clock);
    snprintf(text, SLUICE_ISO_TEXT_BYTES, "%.24s%s%.24s%s", date, "T", clock, has_zone ? "Z" : "");
}

/* Read digit_count digits and move behind them. */
static bool take_digits(const char **text, int digit_count, int64_t *number)
{
    *number = 0;
    for (int i = 0; i < digit_count; i++, (*text)++) {
        if (**text < '0' || **text > '9')
            return false;
        *number = *number * 10 + (**text - '0');
    }
    return true;
}

static bool take_character(const char **text, char character)
{
    if (**text != character)
        return false;
    (*text)++;
    return true;
}

static bool take_year(const char **text, int64_t *year)
{
    const bool is_negative = **text == '-';
    int digit_count = 0;

    if (is_negative || **text == '+')
        (*text)++;
    while ((*text)[digit_count] >= '0' && (*text)[digit_count] <= '9')
        digit_count++;
    if (digit_count < 4 || digit_count > YEAR_DIGITS_MAX || !take_digits(text, digit_count, year))
        return false;
    if (is_negative)
        *year = -*year;
    return true;
}

static int get_month_days(int64_t year, int64_t month)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    return days[month - 1] + (month == 2 && is_leap);
}

static bool take_date(const char **text, int64_t *days)
{
    int64_t year, month, day;

    if (!take_year(text, &year) || !take_character(text, '-') || !take_digits(text, 2, &month) ||
        !take_character(text, '-') || !take_digits(text, 2, &day))
        return false;
    if (month < 1 || month > 12 || day < 1 || day > get_month_days(year, month))
        return false;
    const int64_t march_year = year - (month <= 2);
    const int64_t era = floor_divide(march_year, 400);
    const int64_t year_of_era = march_year - era * 400;
    const int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    const int64_t day_of_era =
        year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;

    *days = era * DAYS_PER_ERA + day_of_era - DAYS_TO_EPOCH;
    return true;
}

/* Digits beyond those of the unit must be zeros. */
static bool take_fraction(const char **text, sluice_time_unit unit, int64_t *fraction)
{
    int digit_count = 0;

    *fraction = 0;
    if (!take_character(text, '.'))
        return true;
    for (; **text >= '0' && **text <= '9'; (*text)++, digit_count++) {
        if (digit_count < fraction_digits[unit])
            *fraction = *fraction * 10 + (**text - '0');
        else if (**text != '0')
            return false;
    }
    for (int digit = digit_count; digit < fraction_digits[unit]; digit++)
        *fraction *= 10;
    return digit_count > 0;
}

static bool take_time(const char **text, sluice_time_unit unit, int64_t *time)
{
    int64_t hours, minutes, seconds, fraction;

    if (!take_digits(text, 2, &hours) || !take_character(text, ':') ||
        !take_digits(text, 2, &minutes) || !take_character(text, ':') ||
        !take_digits(text, 2, &seconds) || !take_fraction(text, unit, &fraction))
        return false;
    if (hours > 23 || minutes > 59 || seconds > 59)
        return false;
    *time = (hours * 3600 + minutes * 60 + seconds) * sluice_iso_units_per_second(unit) + fraction;
    return true;
}

/* Seconds that the text's clock is ahead of UTC: "Z", "+02:00" or nothing. */
static bool take_zone(const char **text, int64_t *seconds)
{
    int64_t hours, minutes;

    *seconds = 0;
    if (**text == '\0' || take_character(text, 'Z'))
        return true;
    const bool is_behind = **text == '-';

    if (!is_behind && **text != '+')
        return false;
    (*text)++;
    if (!take_digits(text, 2, &hours) || !take_character(text, ':') ||
        !take_digits(text, 2, &minutes) || hours > 23 || minutes > 59)
        return false;
    *seconds = (hours * 3600 + minutes * 60) * (is_behind ? -1 : 1);
    return true;
}

bool sluice_iso_parse_date(const char *text, int64_t *days)
{
    return take_date(&text, days) && *text == '\0';
}

bool sluice_iso_parse_time(const char *text, sluice_time_unit unit, int64_t *time)
{
    return take_time(&text, unit, time) && *text == '\0';
}

bool sluice_iso_parse_timestamp(const char *text, sluice_time_unit unit, bool has_zone,
                                int64_t *timestamp)
{
    const int64_t units = sluice_iso_units_per_second(unit);
    int64_t days, offset = 0, time = 0, start;

    if (!take_date(&text, &days))
        return false;
    if (*text == 'T' || *text == ' ') {
        text++;
        if (!take_time(&text, unit, &time))
            return false;
    }
    if (has_zone && !take_zone(&text, &offset))
        return false;
    time -= offset * units;
    if (*text != '\0')
        return false;
    /* The first day of a 64-bit range may begin before the range: meet it from the next day. */
    if (days < 0) {
        days++;
        time -= SECONDS_PER_DAY * units;
    }
    return sluice_mul_int64(days, SECONDS_PER_DAY * units, &start) &&
           sluice_add_int64(start, time, timestamp);
}
