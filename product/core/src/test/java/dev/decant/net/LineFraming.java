package dev.decant.net;

import java.nio.ByteBuffer;

/** Lines of text, each with its line feed: the end is searched for, and the search goes on where it stopped. */
final class LineFraming implements Framing {
  /** Bytes that were looked at, to see that none is looked at twice. */
  long lookedAt;

  @Override
  public long frameBytes(ByteBuffer in, int from, int scanned, int to) {
    for (int i = scanned; i < to; i++) {
      lookedAt++;
      if (in.get(i) == '\n') {
        return i + 1L - from;
      }
    }
    return UNKNOWN;
  }

  @Override
  public int headerBytes() {
    return 0;
  }
}
