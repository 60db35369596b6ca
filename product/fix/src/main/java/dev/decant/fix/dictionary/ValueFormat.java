package dev.decant.fix.dictionary;

import dev.decant.fix.message.Timestamps;
import dev.decant.fix.message.WeakTimestamps;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The format of a datatype's values. Several datatypes share a format. Values are never empty here. */
enum ValueFormat {
  /** Any bytes: STRING, DATA, CURRENCY, EXCHANGE and the like. */
  TEXT,
  /** Up to 18 digits, with or without a minus sign: INT, NUMINGROUP. */
  INTEGER,
  /** Up to 18 digits: LENGTH, SEQNUM, TAGNUM. */
  UNSIGNED,
  /** Digits with at most one point, with or without a minus sign: FLOAT, PRICE, QTY and the like. */
  DECIMAL,
  /** One byte. */
  CHARACTER,
  /** Y or N. */
  BOOLEAN,
  /** Single bytes with a space between. */
  CHARACTERS,
  /** Texts with a space between. */
  TEXTS,
  /** YYYYMMDD-HH:MM:SS with up to 12 digits of a fraction. */
  TIMESTAMP,
  /** YYYYMMDD. */
  DATE,
  /** HH:MM:SS with up to 12 digits of a fraction. */
  TIME,
  /** YYYYMM, YYYYMMDD, or YYYYMM with w1 to w5. */
  MONTH_YEAR,
  /** 1 to 31. */
  DAY_OF_MONTH,
  /** HH:MM, with seconds, fraction and Z, +hh, -hh:mm or without. */
  ZONED_TIME,
  /** YYYYMMDD- and a zoned time. */
  ZONED_TIMESTAMP,
  /** Two bytes: COUNTRY, LANGUAGE. */
  TWO_CHARACTERS;

  /** {@link #integer} returns this if the bytes are no number of up to 18 digits. */
  static final long NO_NUMBER = Long.MIN_VALUE;

  private static final int MAX_DIGITS = 18;
  private static final int MAX_FRACTION_DIGITS = 12;
  private static final int DATE_CHARACTERS = 8;
  private static final Map<String, ValueFormat> BY_TYPE = byType();
  /** Type names of programming languages that dictionaries in use have as datatypes. */
  private static final Map<String, String> ALIASES = Map.of("LONG", "INT", "INTEGER", "INT", "DOUBLE", "FLOAT",
      "DECIMAL", "FLOAT", "BOOL", "BOOLEAN", "TEXT", "STRING", "TIMESTAMP", "UTCTIMESTAMP");

  private static Map<String, ValueFormat> byType() {
    Map<String, ValueFormat> map = new TreeMap<>();
    for (String type : new String[] {"STRING", "DATA", "XMLDATA", "CURRENCY", "EXCHANGE", "TENOR", "XID", "XIDREF"}) {
      map.put(type, TEXT);
    }
    for (String type : new String[] {"FLOAT", "PRICE", "PRICEOFFSET", "QTY", "QUANTITY", "AMT", "PERCENTAGE"}) {
      map.put(type, DECIMAL);
    }
    for (String type : new String[] {"LENGTH", "SEQNUM", "TAGNUM"}) {
      map.put(type, UNSIGNED);
    }
    for (String type : new String[] {"LOCALMKTDATE", "UTCDATE", "UTCDATEONLY", "DATE"}) {
      map.put(type, DATE);
    }
    map.put("INT", INTEGER);
    map.put("NUMINGROUP", INTEGER);
    map.put("CHAR", CHARACTER);
    map.put("BOOLEAN", BOOLEAN);
    map.put("MULTIPLECHARVALUE", CHARACTERS);
    map.put("MULTIPLEVALUESTRING", TEXTS);
    map.put("MULTIPLESTRINGVALUE", TEXTS);
    map.put("UTCTIMESTAMP", TIMESTAMP);
    // The name of a timestamp in FIX.4.0 and FIX.4.1.
    map.put("TIME", TIMESTAMP);
    map.put("UTCTIMEONLY", TIME);
    map.put("LOCALMKTTIME", TIME);
    map.put("MONTHYEAR", MONTH_YEAR);
    map.put("DAYOFMONTH", DAY_OF_MONTH);
    map.put("TZTIMEONLY", ZONED_TIME);
    map.put("TZTIMESTAMP", ZONED_TIMESTAMP);
    map.put("COUNTRY", TWO_CHARACTERS);
    map.put("LANGUAGE", TWO_CHARACTERS);
    return map;
  }

  /**
   * Returns the format of a datatype in QuickFIX's spelling, see {@link #normal}; null if there is no such datatype.
   */
  static @Nullable ValueFormat of(String type) {
    return BY_TYPE.get(type);
  }

  /** Returns a datatype in capitals, without hyphens and surrounding blanks, in which dictionaries differ. */
  static String normal(String type) {
    return type.strip().toUpperCase(Locale.ROOT).replace("-", "");
  }

  /**
   * Returns the datatype that an unknown name probably means: of another language, or with two letters exchanged; null
   * for none.
   */
  static @Nullable String likelyType(String word) {
    String alias = ALIASES.get(word);
    if (alias != null) {
      return alias;
    }
    for (String type : BY_TYPE.keySet()) {
      if (type.length() > 3 && isSlip(word, type)) {
        return type;
      }
    }
    return null;
  }

  /** Returns true if two neighbouring letters are exchanged. */
  private static boolean isSlip(String word, String type) {
    if (word.length() != type.length()) {
      return false;
    }
    int at = 0;
    while (at < word.length() - 1 && word.charAt(at) == type.charAt(at)) {
      at++;
    }
    return at < word.length() - 1 && word.charAt(at) == type.charAt(at + 1) && word.charAt(at + 1) == type.charAt(at)
        && word.regionMatches(at + 2, type, at + 2, word.length() - at - 2);
  }

  /** Returns the names of all datatypes, for an error. */
  static String types() {
    return String.join(", ", BY_TYPE.keySet());
  }

  /** Returns true if a field holds several values with a space between. */
  boolean isMultiple() {
    return this == CHARACTERS || this == TEXTS;
  }

  /**
   * Returns true if a value, which is not empty, has this format. The method is short, so that the compiler inlines it.
   */
  boolean matches(ByteBuffer bytes, int from, int to) {
    return this == TEXT || (this == CHARACTER ? to - from == 1 : matchesSlowPath(bytes, from, to));
  }

  /** Returns true if a value is a time in one of the formats of {@link WeakTimestamps}. */
  boolean matchesWeakly(ByteBuffer bytes, int from, int to) {
    long time = switch (this) {
      case TIMESTAMP -> WeakTimestamps.parse(bytes, from, to);
      case DATE -> WeakTimestamps.parseDate(bytes, from, to);
      case TIME -> WeakTimestamps.parseTime(bytes, from, to);
      default -> Timestamps.NO_TIMESTAMP;
    };
    return time != Timestamps.NO_TIMESTAMP;
  }

  private boolean matchesSlowPath(ByteBuffer bytes, int from, int to) {
    return switch (this) {
      case TEXT -> true;
      case INTEGER -> integer(bytes, from, to) != NO_NUMBER;
      case UNSIGNED -> integer(bytes, from, to) >= 0 && bytes.get(from) != '-';
      case DECIMAL -> isDecimal(bytes, from, to);
      case CHARACTER -> to - from == 1;
      case BOOLEAN -> to - from == 1 && (bytes.get(from) == 'Y' || bytes.get(from) == 'N');
      case CHARACTERS -> isCharacters(bytes, from, to);
      case TEXTS -> isTexts(bytes, from, to);
      case TIMESTAMP -> isTimestamp(bytes, from, to);
      case DATE -> to - from == DATE_CHARACTERS && isDate(bytes, from);
      case TIME -> isTime(bytes, from, to);
      case MONTH_YEAR -> isMonthYear(bytes, from, to);
      case DAY_OF_MONTH -> isDayOfMonth(bytes, from, to);
      case ZONED_TIME -> isZonedTime(bytes, from, to);
      case ZONED_TIMESTAMP -> isDateAndDash(bytes, from, to) && isZonedTime(bytes, from + DATE_CHARACTERS + 1, to);
      case TWO_CHARACTERS -> to - from == 2;
    };
  }

  /** Returns the number of these digits, leading zeros allowed; {@link #NO_NUMBER} if they are none. */
  static long integer(ByteBuffer bytes, int from, int to) {
    boolean negative = from < to && bytes.get(from) == '-';
    int p = negative ? from + 1 : from;
    while (p < to - 1 && bytes.get(p) == '0') {
      p++;
    }
    if (p >= to || to - p > MAX_DIGITS) {
      return NO_NUMBER;
    }
    long value = 0;
    for (; p < to; p++) {
      int digit = bytes.get(p) - '0';
      if (digit < 0 || digit > 9) {
        return NO_NUMBER;
      }
      value = value * 10 + digit;
    }
    return negative ? -value : value;
  }

  private static boolean isDecimal(ByteBuffer bytes, int from, int to) {
    int p = bytes.get(from) == '-' ? from + 1 : from;
    boolean anyDigit = false;
    boolean anyPoint = false;
    for (; p < to; p++) {
      byte c = bytes.get(p);
      if (c >= '0' && c <= '9') {
        anyDigit = true;
      } else if (c == '.' && !anyPoint) {
        anyPoint = true;
      } else {
        return false;
      }
    }
    return anyDigit;
  }

  private static boolean isCharacters(ByteBuffer bytes, int from, int to) {
    if ((to - from & 1) == 0) {
      return false;
    }
    for (int p = from; p < to; p++) {
      boolean wantsSpace = (p - from & 1) == 1;
      if (wantsSpace != (bytes.get(p) == ' ')) {
        return false;
      }
    }
    return true;
  }

  private static boolean isTexts(ByteBuffer bytes, int from, int to) {
    boolean afterSpace = true;
    for (int p = from; p < to; p++) {
      boolean space = bytes.get(p) == ' ';
      if (space && afterSpace) {
        return false;
      }
      afterSpace = space;
    }
    return !afterSpace;
  }

  private static boolean isTimestamp(ByteBuffer bytes, int from, int to) {
    return isDateAndDash(bytes, from, to) && isTime(bytes, from + DATE_CHARACTERS + 1, to);
  }

  private static boolean isDateAndDash(ByteBuffer bytes, int from, int to) {
    return to - from > DATE_CHARACTERS && bytes.get(from + DATE_CHARACTERS) == '-' && isDate(bytes, from);
  }

  /** Returns true for a date in any year of four digits, since 99991231 often means "never". */
  private static boolean isDate(ByteBuffer bytes, int from) {
    return Timestamps.parseDate(bytes, from, from + DATE_CHARACTERS) != Timestamps.NO_TIMESTAMP;
  }

  /** Returns the number of two digits up to a limit; otherwise a number so negative that no sum with it is a year. */
  private static int twoDigits(ByteBuffer bytes, int at, int limit) {
    int tens = bytes.get(at) - '0';
    int ones = bytes.get(at + 1) - '0';
    int value = 10 * tens + ones;
    return tens < 0 || tens > 9 || ones < 0 || ones > 9 || value > limit ? -10_000 : value;
  }

  private static boolean isTime(ByteBuffer bytes, int from, int to) {
    return Timestamps.parseTime(bytes, from, to) != Timestamps.NO_TIMESTAMP;
  }

  private static boolean isHourAndMinute(ByteBuffer bytes, int from) {
    return twoDigits(bytes, from, 23) >= 0 && bytes.get(from + 2) == ':' && twoDigits(bytes, from + 3, 59) >= 0;
  }

  /** Returns where a point and its 1 to 12 digits end; -1 if there is no such fraction. */
  private static int fractionEnd(ByteBuffer bytes, int from, int to) {
    if (from >= to || bytes.get(from) != '.') {
      return -1;
    }
    int p = from + 1;
    while (p < to && bytes.get(p) >= '0' && bytes.get(p) <= '9') {
      p++;
    }
    int digits = p - from - 1;
    return digits < 1 || digits > MAX_FRACTION_DIGITS ? -1 : p;
  }

  private static boolean isMonthYear(ByteBuffer bytes, int from, int to) {
    if (to - from == 6) {
      return twoDigits(bytes, from, 99) >= 0 && twoDigits(bytes, from + 2, 99) >= 0
          && twoDigits(bytes, from + 4, 12) >= 1;
    }
    if (to - from != DATE_CHARACTERS) {
      return false;
    }
    return bytes.get(from + 6) == 'w'
        ? bytes.get(from + 7) >= '1' && bytes.get(from + 7) <= '5' && isMonthYear(bytes, from, from + 6)
        : isDate(bytes, from);
  }

  private static boolean isDayOfMonth(ByteBuffer bytes, int from, int to) {
    long day = to - from > 2 || bytes.get(from) == '-' ? NO_NUMBER : integer(bytes, from, to);
    return day >= 1 && day <= 31;
  }

  private static boolean isZonedTime(ByteBuffer bytes, int from, int to) {
    if (to - from < 5 || !isHourAndMinute(bytes, from)) {
      return false;
    }
    int p = from + 5;
    if (p < to && bytes.get(p) == ':') {
      if (to - p < 3 || twoDigits(bytes, p + 1, 60) < 0) {
        return false;
      }
      p += 3;
      if (p < to && bytes.get(p) == '.') {
        p = fractionEnd(bytes, p, to);
      }
    }
    return p >= 0 && (p == to || isZone(bytes, p, to));
  }

  private static boolean isZone(ByteBuffer bytes, int from, int to) {
    byte sign = bytes.get(from);
    if (sign == 'Z') {
      return to - from == 1;
    }
    if ((sign != '+' && sign != '-') || (to - from != 3 && to - from != 6) || twoDigits(bytes, from + 1, 23) < 0) {
      return false;
    }
    return to - from == 3 || (bytes.get(from + 3) == ':' && twoDigits(bytes, from + 4, 59) >= 0);
  }
}
