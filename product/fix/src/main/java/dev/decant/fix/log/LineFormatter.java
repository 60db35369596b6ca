package dev.decant.fix.log;

import java.nio.ByteBuffer;
import java.time.LocalDate;

/**
 * Formats a record as a line of text. A line is printable ASCII (and SOH, if that is kept), so no byte of a message
 * breaks it. Other bytes become {@code \xNN}, and a backslash becomes two. If {@code |} stands for SOH, a {@code |} of
 * the message becomes {@code \x7C}. Used by one thread; allocates nothing within a day.
 */
final class LineFormatter {
  static final long NANOS_PER_DAY = 86_400_000_000_000L;
  /** The most bytes of a line in addition to name and message. */
  static final int FRAME_BYTES = 160;
  /** The most bytes that one byte of a message becomes. */
  static final int GROWTH = 4;

  private static final byte SOH = 1;
  private static final byte[] HEX = ascii("0123456789ABCDEF");
  private static final byte[] MASK = ascii("***");
  private static final byte[] IN = ascii(" in ");
  private static final byte[] OUT = ascii(" out ");
  private static final byte[] EVENT = ascii(" event ");
  /** A single backslash begins a remark of the log itself. */
  private static final byte[] CUT = ascii(" \\(");
  private static final byte[] CUT_END = ascii(" bytes more)");
  private static final byte[] LOST = ascii(" - event ");
  private static final byte[] LOST_END = ascii(" messages were not logged");
  private static final int MICROS_DIGITS = 6;

  private final Masking masking;
  private final boolean keepsSoh;
  private final byte[] day = new byte[8];
  /** The day whose characters are encoded already. */
  private long epochDay = Long.MIN_VALUE;

  // The line being formatted.
  private ByteBuffer out = ByteBuffer.allocate(0);
  /** Where the next byte of the line goes. */
  private int at;

  LineFormatter(Masking masking, boolean keepsSoh) {
    this.masking = masking;
    this.keepsSoh = keepsSoh;
  }

  /** Formats a record as a line with a line feed, from {@code from} on. Returns the index after it. */
  int record(LogRing ring, int index, ByteBuffer buffer, int from) {
    out = buffer;
    at = from;
    ByteBuffer memory = ring.memory();
    int name = index + LogRing.HEADER_BYTES;
    int message = name + ring.nameLength(index);
    int logged = ring.loggedLength(index);
    timestamp(ring.epochNanos(index));
    put((byte) ' ');
    out.put(at, memory, name, message - name);
    at += message - name;
    put(switch (ring.kind(index)) {
      case LogRing.INBOUND -> IN;
      case LogRing.OUTBOUND -> OUT;
      default -> EVENT;
    });
    message(memory, message, message + logged);
    if (logged < ring.messageLength(index)) {
      put(CUT);
      number(ring.messageLength(index) - logged);
      put(CUT_END);
    }
    put((byte) '\n');
    return at;
  }

  /** Formats the line that reports messages that were not logged. Returns the index after it. */
  int lost(long messages, long epochNanos, ByteBuffer buffer, int from) {
    out = buffer;
    at = from;
    timestamp(epochNanos);
    put(LOST);
    number(messages);
    put(LOST_END);
    put((byte) '\n');
    return at;
  }

  private void message(ByteBuffer in, int from, int end) {
    int length = -1; // The value of the length field before; negative if there was none.
    int lengthTag = 0;
    int p = from;
    while (p < end) {
      int equals = Masking.tagEnd(in, p, end);
      boolean tagged = equals > p && equals < end && in.get(equals) == '=';
      int tag = tagged ? Masking.number(in, p, equals) : 0;
      int mask = tagged ? masking.of(in, p, equals) : Masking.NONE;
      int next;
      if (mask == Masking.NONE) {
        next = value(in, p, tagged ? equals + 1 : p, end);
      } else {
        copy(in, p, equals + 1);
        put(MASK);
        next = mask == Masking.PLAIN
            ? Masking.plainEnd(in, equals + 1, end)
            : Masking.dataEnd(in, equals + 1, end, mask == lengthTag ? length : -1);
      }
      lengthTag = tagged && masking.isLength(tag) ? tag : 0;
      length = lengthTag == 0 ? -1 : Masking.number(in, equals + 1, next);
      if (next < end) {
        put(keepsSoh ? SOH : (byte) '|');
        next++;
      }
      p = next;
    }
  }

  /**
   * Copies a field, and masks the rest after a masked tag within its value. Returns the index of its SOH, or the end.
   */
  private int value(ByteBuffer in, int from, int valueFrom, int end) {
    int p = from;
    while (p < end) {
      byte b = in.get(p);
      if (b == SOH) {
        return p;
      }
      escaped(b);
      p++;
      if (b == '=' && p > valueFrom) {
        int mask = masking.ofSuffix(in, from, p - 1);
        if (mask != Masking.NONE) {
          put(MASK);
          return mask == Masking.PLAIN ? Masking.plainEnd(in, p, end) : end;
        }
      }
    }
    return p;
  }

  private void copy(ByteBuffer in, int from, int to) {
    for (int i = from; i < to; i++) {
      escaped(in.get(i));
    }
  }

  private void escaped(byte b) {
    if (b >= ' ' && b <= '~' && b != '\\' && (b != '|' || keepsSoh)) {
      put(b);
    } else if (b == '\\') {
      put(b);
      put(b);
    } else {
      put((byte) '\\');
      put((byte) 'x');
      put(HEX[(b >> 4) & 0xF]);
      put(HEX[b & 0xF]);
    }
  }

  private void timestamp(long epochNanos) {
    long today = Math.floorDiv(epochNanos, NANOS_PER_DAY);
    if (today != epochDay) {
      turnTo(today);
    }
    long micros = (epochNanos - today * NANOS_PER_DAY) / 1000;
    int seconds = (int) (micros / 1_000_000);
    put(day);
    put((byte) '-');
    twoDigits(seconds / 3600);
    put((byte) ':');
    twoDigits(seconds / 60 % 60);
    put((byte) ':');
    twoDigits(seconds % 60);
    put((byte) '.');
    int fraction = (int) (micros % 1_000_000);
    for (int i = MICROS_DIGITS - 1; i >= 0; i--) {
      out.put(at + i, (byte) ('0' + fraction % 10));
      fraction /= 10;
    }
    at += MICROS_DIGITS;
  }

  private void turnTo(long today) {
    epochDay = today;
    LocalDate date = LocalDate.ofEpochDay(today);
    int digits = date.getYear() * 10_000 + date.getMonthValue() * 100 + date.getDayOfMonth();
    for (int i = day.length - 1; i >= 0; i--) {
      day[i] = (byte) ('0' + digits % 10);
      digits /= 10;
    }
  }

  private void twoDigits(int number) {
    put((byte) ('0' + number / 10));
    put((byte) ('0' + number % 10));
  }

  private void number(long number) {
    long power = 1;
    while (number / power >= 10) {
      power *= 10;
    }
    for (; power > 0; power /= 10) {
      put((byte) ('0' + number / power % 10));
    }
  }

  private void put(byte b) {
    out.put(at++, b);
  }

  private void put(byte[] bytes) {
    out.put(at, bytes);
    at += bytes.length;
  }

  private static byte[] ascii(String text) {
    byte[] bytes = new byte[text.length()];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) text.charAt(i);
    }
    return bytes;
  }
}
