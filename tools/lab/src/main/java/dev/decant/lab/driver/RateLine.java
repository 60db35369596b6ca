package dev.decant.lab.driver;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/**
 * Reports the rate of a client to the parent once a second during a measurement: by one system call and without an
 * object, because the allocation of threads may be measured. One thread; no other thread writes to the parent
 * meanwhile.
 */
public final class RateLine {
  private static final String PREFIX = "rate ";
  private static final int MOST_DIGITS = 19;

  private final FileOutputStream out = new FileOutputStream(FileDescriptor.out);
  private final byte[] line = new byte[PREFIX.length() + MOST_DIGITS + 1];

  /** Prepares the line; nothing is written yet. */
  public RateLine() {
    byte[] prefix = PREFIX.getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(prefix, 0, line, 0, prefix.length);
  }

  /**
   * Writes a line. A write to a parent that has ended fails; the thread that reads from the parent then halts this JVM.
   */
  void report(long recordsPerSecond) {
    int length = write(recordsPerSecond);
    try {
      out.write(line, 0, length);
    } catch (IOException e) {
      // see above
    }
  }

  /** Writes the digits into {@link #line} and returns the line's length. */
  private int write(long value) {
    int digits = 1;
    for (long rest = value; rest >= 10; rest /= 10) {
      digits++;
    }
    int end = PREFIX.length() + digits;
    long rest = value;
    for (int i = end - 1; i >= PREFIX.length(); i--) {
      line[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    line[end] = '\n';
    return end + 1;
  }

  /** Returns the line as it is sent, for tests. */
  String text(long recordsPerSecond) {
    return new String(line, 0, write(recordsPerSecond), StandardCharsets.US_ASCII);
  }

  /**
   * Reads a line of the child.
   *
   * @param text any line of the child
   * @return records in the last second; empty if the line is something else
   */
  public static OptionalLong read(String text) {
    boolean rate = text.startsWith(PREFIX) && text.substring(PREFIX.length()).matches("\\d{1,18}");
    return rate ? OptionalLong.of(Long.parseLong(text.substring(PREFIX.length()))) : OptionalLong.empty();
  }
}
