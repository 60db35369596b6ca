package dev.decant.fix.session;

import dev.decant.net.Framing;
import java.nio.ByteBuffer;

/**
 * Cuts a stream into messages by BodyLength(9). Bytes before the next BeginString(8) form a frame of their own, which
 * the handler finds garbled and skips.
 *
 * <pre>
 *   8=FIX.4.4 SOH 9=120 SOH 35=... 10=123 SOH
 *                           |      |
 *                           |      after 120 bytes
 * </pre>
 *
 * <p>The length is trusted. If CheckSum(10) does not follow the announced body, the frame ends with the body and is
 * garbled. The stream resumes at the next BeginString after it.
 *
 * <p>The messages found do not depend on how the stream is sliced.
 */
public enum MessageFraming implements Framing {
  /** The only instance. It has no state, so any number of connections share it. */
  INSTANCE;

  /** Length of {@code 10=ddd} and its delimiter. */
  private static final int TRAILER_BYTES = 7;
  /** Length of {@code 8=FIXT.1.1}, the longest BeginString, with its delimiter, rounded up. */
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

  /** Returns true if {@code 10=???} and a delimiter are at this index. */
  private static boolean isTrailer(ByteBuffer in, int at) {
    return in.get(at) == '1' && in.get(at + 1) == '0' && in.get(at + 2) == '=' && in.get(at + TRAILER_BYTES - 1) == SOH;
  }

  /** Returns true if the bytes that have arrived match {@code 8=FIX}. */
  private static boolean isBeginString(ByteBuffer in, int from, int to) {
    return matches(in, from, to, 0, '8') && matches(in, from, to, 1, '=') && matches(in, from, to, 2, 'F')
        && matches(in, from, to, 3, 'I') && matches(in, from, to, 4, 'X');
  }

  private static boolean matches(ByteBuffer in, int from, int to, int offset, char expected) {
    return from + offset >= to || in.get(from + offset) == expected;
  }

  /** Returns the index after {@code 9=}; 0 if more bytes are needed, -1 if this is no message. */
  private static int afterBeginString(ByteBuffer in, int from, int to) {
    int most = Math.min(to, from + MAX_BEGIN_BYTES);
    int p = from + 2;
    while (p < most && in.get(p) != SOH) {
      if (in.get(p) == '=') {
        return -1; // Another BeginString begins within this one, which was cut off.
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

  /** Returns the number of bytes before the next BeginString after {@code search}, or before the end. */
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
