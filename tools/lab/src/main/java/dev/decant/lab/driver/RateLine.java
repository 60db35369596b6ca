package dev.decant.lab.driver;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/**
 * Tells the parent once a second how fast a client is while it is measured: one system call, and no object, because
 * what threads allocate may be measured. One thread; nobody else writes to the parent meanwhile.
 */
public final class RateLine {
  private static final String PREFIX = "rate ";
  private static final int MOST_DIGITS = 19;

  private final FileOutputStream out = new FileOutputStream(FileDescriptor.out);
  private final byte[] line = new byte[PREFIX.length() + MOST_DIGITS + 1];

  /** Nothing is told yet. */
  public RateLine() {
    byte[] prefix = PREFIX.getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(prefix, 0, line, 0, prefix.length);
  }

  /** A parent that is gone ends this JVM elsewhere. */
  void tell(long recordsPerSecond) {
    int length = write(recordsPerSecond);
    try {
      out.write(line, 0, length);
    } catch (IOException e) {
      // see above
    }
  }

  /** The line in {@link #line}; how long it is. */
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

  /** As it is sent, for tests. */
  String text(long recordsPerSecond) {
    return new String(line, 0, write(recordsPerSecond), StandardCharsets.US_ASCII);
  }

  /**
   * Reads such a line.
   *
   * @param text any line of the child
   * @return records in the last second; empty if the line is something else
   */
  public static OptionalLong read(String text) {
    boolean rate = text.startsWith(PREFIX) && text.substring(PREFIX.length()).matches("\\d{1,18}");
    return rate ? OptionalLong.of(Long.parseLong(text.substring(PREFIX.length()))) : OptionalLong.empty();
  }
}
