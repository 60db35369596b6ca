package dev.decant.fix.session;

import dev.decant.net.Framing;
import java.nio.ByteBuffer;

/**
 * Cuts a stream into messages by BodyLength(9). Bytes that are no message are cut off up to the next BeginString(8).
 * They come to the handler as a frame of their own, which it finds garbled and skips.
 *
 * <pre>
 *   8=FIX.4.4 SOH 9=120 SOH 35=... 10=123 SOH
 *                           |      |
 *                           |      after 120 bytes
 * </pre>
 *
 * <p>A length is believed. If CheckSum(10) does not follow the announced body, the frame ends with the body and is
 * garbled. The stream resumes at the next BeginString behind it.
 *
 * <p>How the stream is sliced makes no difference to the messages found.
 */
public enum MessageFraming implements Framing {
  /** The one without state, for any number of connections. */
  INSTANCE;

  /** {@code 10=ddd} and the delimiter. */
  private static final int TRAILER_BYTES = 7;
  /** {@code 8=FIX} with what follows of the longest, {@code T.1.1}, and the delimiter. */
  private static final int MAX_BEGIN_BYTES = 16;
  private static final byte SOH = 1;
  private static final int MAX_LENGTH_DIGITS = 9;

  @Override
  public long frameBytes(ByteBuffer in, int from, int scanned, int to) {
    if (!isBeginString(in, from, to)) {
      return garbage(in, from, from + 1, to);
    }
    int lengthFrom = afterBeginString(in, from, to);
    if (lengthFrom <= 0) {
      return lengthFrom == 0 ? UNKNOWN : garbage(in, from, from + 2, to);
    }
    int p = lengthFrom;
    long length = 0;
    while (p < to && p - lengthFrom <= MAX_LENGTH_DIGITS && isDigit(in.get(p))) {
      length = length * 10 + in.get(p) - '0';
      p++;
    }
    if (p == to && p - lengthFrom <= MAX_LENGTH_DIGITS) {
      return UNKNOWN;
    }
    if (p == to || in.get(p) != SOH || p == lengthFrom) {
      return garbage(in, from, from + 2, to);
    }
    long trailer = p + 1 + length;
    long end = trailer + TRAILER_BYTES;
    return (end > to || isTrailer(in, (int) trailer) ? end : trailer) - from;
  }

  /** Whether there is {@code 10=???} and the delimiter. */
  private static boolean isTrailer(ByteBuffer in, int at) {
    return in.get(at) == '1' && in.get(at + 1) == '0' && in.get(at + 2) == '=' && in.get(at + TRAILER_BYTES - 1) == SOH;
  }

  /** Whether these bytes begin with {@code 8=FIX}, as far as they are there. */
  private static boolean isBeginString(ByteBuffer in, int from, int to) {
    return matches(in, from, to, 0, '8') && matches(in, from, to, 1, '=') && matches(in, from, to, 2, 'F')
        && matches(in, from, to, 3, 'I') && matches(in, from, to, 4, 'X');
  }

  private static boolean matches(ByteBuffer in, int from, int to, int offset, char expected) {
    return from + offset >= to || in.get(from + offset) == expected;
  }

  /** Index after {@code 9=}; 0 if more bytes are needed, -1 if this is no message. */
  private static int afterBeginString(ByteBuffer in, int from, int to) {
    int most = Math.min(to, from + MAX_BEGIN_BYTES);
    int p = from + 2;
    while (p < most && in.get(p) != SOH) {
      if (in.get(p) == '=') {
        return -1; // begins within another BeginString, which was cut off
      }
      p++;
    }
    if (p == most) {
      return most == to && to - from < MAX_BEGIN_BYTES ? 0 : -1;
    }
    if (!matches(in, p + 1, to, 0, '9') || !matches(in, p + 1, to, 1, '=')) {
      return -1;
    }
    return p + 3 <= to ? p + 3 : 0;
  }

  /** Bytes up to the next BeginString after {@code search}, or to the end of what is there. */
  private static long garbage(ByteBuffer in, int from, int search, int to) {
    for (int p = search; p < to; p++) {
      if (in.get(p) == '8' && isBeginString(in, p, to)) {
        return (long) p - from;
      }
    }
    return (long) to - from;
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }

  @Override
  public int headerBytes() {
    return 0;
  }
}
